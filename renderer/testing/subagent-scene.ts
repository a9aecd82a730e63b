import type { Spend, TaskNode } from "../../agent/protocol/index.ts";
import { answered, asked, called, RUN, said } from "./entries.ts";
import { createSimulatedAgent } from "./simulated-agent.ts";
import { summary } from "./summaries.ts";
import { viewOf } from "./views.ts";

const HOUR = 3_600_000;

export function spend(cost: number): Spend {
	return { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost, estimated: false };
}

export function task(id: string, more: Partial<TaskNode>): TaskNode {
	return { id, kind: "tool", name: "bash", status: "running", background: false, children: [], ...more };
}

/** A session whose subagent is at work, and the subagent's own conversation. */
export function withSubagent() {
	const agent = createSimulatedAgent();
	const arguments_ = { description: "Find every other fixed wait", prompt: "Look through tests/." };
	const session = agent.add(
		viewOf(summary("s", { title: "Fix it" }), {
			entries: [asked("go"), said("", { toolCalls: [called("c1", "subagent", arguments_)] })],
			live: {
				run: RUN,
				tools: [
					{
						callId: "c1",
						name: "subagent",
						status: "running",
						startedAt: Date.now() - 31_000,
						output: "",
						conversation: "sub",
						spend: spend(0.06),
						details: { conversationId: 7, background: false, mayCost: 0.5, until: Date.now() + HOUR },
					},
				],
			},
			tasks: [
				task("t1", {
					kind: "generation",
					name: "generation",
					status: "waiting",
					children: [task("t2", { name: "subagent", callId: "c1", conversation: "sub" })],
				}),
			],
		}),
	);
	const child = agent.add(
		viewOf(summary("sub", { title: "Subagent of Fix it", parent: { session: "s", call: "c1" } }), {
			entries: [
				asked("Look through tests/."),
				said("", { toolCalls: [called("g1", "grep", { pattern: "waitForTimeout" })] }),
				answered("g1", "grep", { details: { matches: 11 } }),
			],
			live: {
				run: { id: "r9", inputs: ["r9"], startedAt: 0 },
				tools: [],
				partial: { text: "Two waits guard" },
			},
			tasks: [task("t7", { kind: "generation", name: "generation" })],
		}),
	);
	agent.answers["session.send"] = () => ({ submission: "q1", status: "queued" });
	agent.answers["session.stop"] = () => ({ stopped: true });
	return { agent, session, child };
}

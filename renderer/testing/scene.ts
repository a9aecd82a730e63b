import type { ModelList, WireEntry } from "../../agent/protocol/index.ts";
import { answered, asked, called, marked, said } from "./entries.ts";
import { createSimulatedAgent, type SimulatedAgent } from "./simulated-agent.ts";
import { summary } from "./summaries.ts";
import { viewOf } from "./views.ts";

const MINUTE = 60_000;

export const MODELS: ModelList = {
	models: [
		{
			id: "claude-code/sonnet",
			provider: "claude-code",
			name: "Sonnet",
			contextWindow: 200_000,
			maxTokens: 64_000,
			images: true,
			thinkingLevels: ["off", "low", "medium", "high"],
			price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
		},
		{
			id: "script/script-1",
			provider: "script",
			name: "script-1",
			contextWindow: 100_000,
			maxTokens: 8_000,
			images: false,
			thinkingLevels: ["off"],
			price: null,
		},
	],
	providers: [
		{ id: "claude-code", name: "Claude Code", kind: "claude-code", available: true, note: "signed in · Max" },
		{
			id: "api",
			name: "API key",
			kind: "api",
			available: false,
			reason: "No key is in the environment of your login shell.",
			fix: "Export ANTHROPIC_API_KEY or another provider's key there, then look again.",
		},
		{
			id: "local",
			name: "Local models",
			kind: "local",
			available: false,
			reason: "Nothing answers at localhost:11434 (Ollama) or 1234 (LM Studio).",
			fix: "Start one of them, then look again.",
		},
		{ id: "script", name: "Demo, no AI", kind: "scripted", available: true, note: "always there" },
	],
	default: "claude-code/sonnet",
	refreshing: false,
};

const DIFF = `--- tests/login.spec.ts
+++ tests/login.spec.ts
@@ -31,1 +31,2 @@
-  await page.waitForTimeout(200);
+  const settled = page.waitForResponse("**/session");
+  await settled;
`;

/** The transcript that the look's drawing shows. */
export function lookEntries(now: number): WireEntry[] {
	return [
		asked(
			"The login test fails about one run in five. Find out why and fix it. Don't touch the retry settings.",
			{ at: now - 14 * MINUTE },
		),
		said("", {
			at: now - 13 * MINUTE,
			model: "claude-code/sonnet",
			toolCalls: [
				called("c1", "read", { path: "/home/ada/code/shop/tests/login.spec.ts" }),
				called("c2", "grep", { pattern: "waitForTimeout" }),
			],
		}),
		answered("c1", "read", {
			text: "import …",
			details: { kind: "text", path: "tests/login.spec.ts", from: 1, to: 84, lines: 84 },
		}),
		answered("c2", "grep", { text: "…", details: { path: ".", matches: 6, more: false } }),
		said(
			"The test waits a fixed 200 ms for the session cookie. On a slow run the redirect lands first, so the assertion reads the old page. I'll wait for the response instead.",
			{
				at: now - 12 * MINUTE,
				model: "claude-code/sonnet",
				toolCalls: [
					called("c3", "edit", {
						path: "/home/ada/code/shop/tests/login.spec.ts",
						old_string: "a",
						new_string: "b",
					}),
				],
			},
		),
		answered("c3", "edit", {
			text: "Edited tests/login.spec.ts: 1 place, 2 lines added, 1 line removed.",
			details: { path: "tests/login.spec.ts", diff: DIFF, added: 2, removed: 1 },
		}),
		marked("outlive.restart", "The agent was restarted; went on.", undefined, now - 50_000),
		said("", {
			at: now - 48_000,
			model: "claude-code/sonnet",
			toolCalls: [
				called("c4", "bash", { command: "for i in $(seq 30); do npx playwright test login || exit 1; done" }),
			],
		}),
	];
}

/** An agent in the state that the look's drawing of the window shows. */
export function lookAgent(now = Date.now()): SimulatedAgent {
	const agent = createSimulatedAgent();
	agent.answers["models.list"] = () => MODELS;
	const home = "/home/ada/code";
	const request = {
		id: "r1",
		kind: "question" as const,
		text: "run terraform apply?",
		choices: [],
		at: now - 2 * MINUTE,
	};
	const of = (project: string) => ({ directory: `${home}/${project}`, project: `${home}/${project}` });
	const sessions = [
		summary("keys", {
			...of("infra"),
			title: "Rotate the staging keys",
			state: { kind: "needs_you", request },
			updatedAt: now - 2 * MINUTE,
		}),
		summary("port", {
			...of("ledger"),
			title: "Port the importer to streams",
			state: { kind: "waiting", for: "retry", until: now + 3_900 },
			updatedAt: now - 60 * MINUTE,
		}),
		summary("postgres", {
			...of("ledger"),
			title: "Upgrade to Postgres 18",
			state: { kind: "waiting", for: "limit", until: new Date(now).setHours(18, 0, 0, 0) },
			updatedAt: now - 180 * MINUTE,
		}),
		summary("cache", {
			...of("shop"),
			title: "Explain the cache invalidation",
			updatedAt: new Date(now).setHours(0, 12, 0, 0),
			lastRun: { run: "x", outcome: "answered", endedAt: now - 240 * MINUTE },
		}),
		summary("notes", {
			...of("site"),
			title: "Draft the release notes",
			state: { kind: "failed", reason: "the folder is gone" },
			updatedAt: now - 1440 * MINUTE,
		}),
	];
	for (const session of sessions) agent.add(viewOf(session));
	const login = summary("login", {
		...of("shop"),
		title: "Fix the flaky login test",
		model: "claude-code/sonnet",
		state: { kind: "running", since: now - 14 * MINUTE },
		activity: { text: "running a command", tool: "bash", since: now - 48_000 },
		updatedAt: now,
	});
	agent.add(
		viewOf(login, {
			entries: lookEntries(now),
			live: {
				run: { id: "s1", inputs: ["s1"], startedAt: now - 14 * MINUTE },
				tools: [
					{
						callId: "c4",
						name: "bash",
						status: "running",
						startedAt: now - 48_000,
						output:
							"run 17 \x1b[32m✓ 1 passed\x1b[0m (1.4s)\nrun 18 \x1b[32m✓ 1 passed\x1b[0m (1.3s)\nrun 19 \x1b[32m✓ 1 passed\x1b[0m (1.6s)\nrun 20",
					},
				],
			},
			inbox: [{ submission: "s2", text: "Then fix checkout.spec.ts the same way", mode: "followUp" }],
			tasks: [
				{
					id: "t1",
					kind: "generation",
					name: "generation",
					status: "completing",
					background: false,
					startedAt: now - 14 * MINUTE,
					children: [
						{
							id: "t2",
							kind: "tool",
							name: "bash",
							status: "running",
							background: false,
							startedAt: now - 48_000,
							callId: "c4",
							children: [],
						},
					],
				},
			],
		}),
	);
	agent.list.state.today = { cost: 3.1, runs: 41 };
	return agent;
}

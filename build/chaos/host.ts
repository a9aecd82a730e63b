import { type AgentPlace, type AgentProcess, spawnAgent } from "../../agent/testing/agent-process.ts";
import type { Kill } from "./plan.ts";

/** Keeps an agent going: whenever it ends, the next one is started, until `finish()`. */
export type AgentHost = {
	/** What the agents wrote to their outputs. */
	output(): string;
	/** From here on the agent is left alone. */
	calm(): void;
	/** Waits for the end of the agent that was asked to end. */
	finish(): Promise<void>;
	/** Ends everything at once. */
	abandon(): Promise<void>;
};

/** @param kills how the first lives end, one each; later ones aren't ended */
export function hostAgent(place: AgentPlace, entry: string, kills: readonly Kill[]): AgentHost {
	let life = 0;
	let current: AgentProcess;
	let finishing = false;
	let calm = false;
	let timers: NodeJS.Timeout[] = [];
	let output = "";

	function start(): void {
		const kill = calm ? undefined : kills[life];
		life++;
		const env: Record<string, string> =
			kill?.kind === "at" ? { OUTLIVE_CRASH_AT: `${kill.point}:${kill.pass}` } : {};
		const agent = spawnAgent(place, { entry, env });
		current = agent;
		if (kill?.kind === "after") at(kill.ms, () => agent.child.kill("SIGKILL"));
		if (kill?.kind === "frozen") {
			at(kill.after, () => agent.child.kill("SIGSTOP"));
			at(kill.after + kill.ms, () => agent.child.kill("SIGKILL"));
		}
		void agent.exited.then(() => {
			output += agent.output();
			for (const timer of timers) clearTimeout(timer);
			timers = [];
			if (!finishing) start();
		});
	}

	function at(ms: number, run: () => void): void {
		timers.push(setTimeout(run, ms));
	}

	start();
	return {
		output: () => output + current.output(),
		calm() {
			calm = true;
			for (const timer of timers) clearTimeout(timer);
			current.child.kill("SIGCONT");
		},
		async finish() {
			finishing = true;
			await current.exited;
		},
		async abandon() {
			finishing = true;
			for (const timer of timers) clearTimeout(timer);
			await current.kill();
		},
	};
}

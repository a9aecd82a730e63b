import { type AgentPlace, type AgentProcess, spawnAgent } from "../../agent/testing/agent-process.ts";
import type { Kill } from "./plan.ts";

/** Keeps an agent going: whenever the last one ends, the next one is started, until `finish()`. */
export type AgentHost = {
	/** What the agents wrote to their outputs. */
	output(): string;
	/** From here on the agent is left alone; resolves when a handover that goes on has come out. */
	calm(): Promise<void>;
	/** Waits for the end of the agent that was asked to end. */
	finish(): Promise<void>;
	/** Ends everything at once. */
	abandon(): Promise<void>;
};

/** @param kills how the first lives end, one each; later ones aren't ended */
export function hostAgent(place: AgentPlace, entry: string, kills: readonly Kill[]): AgentHost {
	let life = 0;
	/** One; two while one takes the other's place. */
	const living = new Set<AgentProcess>();
	let finishing = false;
	let calm = false;
	const timers = new Set<NodeJS.Timeout>();
	let output = "";

	function start(): void {
		const kill = calm ? undefined : kills[life++];
		switch (kill?.kind) {
			case undefined:
				run();
				return;
			case "at":
				run(`${kill.point}:${kill.pass}`);
				return;
			case "after": {
				const agent = run();
				at(agent, kill.ms, () => agent.child.kill("SIGKILL"));
				return;
			}
			case "frozen": {
				const agent = run();
				at(agent, kill.after, () => agent.child.kill("SIGSTOP"));
				at(agent, kill.after + kill.ms, () => agent.child.kill("SIGKILL"));
				return;
			}
			case "replaced": {
				const agent = run(kill.oldDies);
				at(agent, kill.after, () => run(kill.newDies, ["--replace=now"]));
				return;
			}
		}
	}

	/** @param dies the named point at which it ends itself */
	function run(dies?: string, args: readonly string[] = []): AgentProcess {
		const env: Record<string, string> = dies === undefined ? {} : { OUTLIVE_CRASH_AT: dies };
		const agent = spawnAgent(place, { entry, env, args });
		living.add(agent);
		void agent.exited.then(() => {
			living.delete(agent);
			output += agent.output();
			if (living.size === 0 && !finishing) start();
		});
		return agent;
	}

	/** Does something to an agent later, unless it has ended by then. */
	function at(agent: AgentProcess, ms: number, act: () => void): void {
		const timer = setTimeout(() => {
			timers.delete(timer);
			act();
		}, ms);
		timers.add(timer);
		void agent.exited.then(() => {
			clearTimeout(timer);
			timers.delete(timer);
		});
	}

	function stopTimers(): void {
		for (const timer of timers) clearTimeout(timer);
		timers.clear();
	}

	start();
	return {
		output: () => [output, ...[...living].map((agent) => agent.output())].join(""),
		async calm() {
			calm = true;
			stopTimers();
			for (const agent of living) agent.child.kill("SIGCONT");
			while (living.size > 1) await Promise.race([...living].map(({ exited }) => exited));
		},
		async finish() {
			finishing = true;
			await Promise.all([...living].map(({ exited }) => exited));
		},
		async abandon() {
			finishing = true;
			stopTimers();
			await Promise.all([...living].map((agent) => agent.kill()));
		},
	};
}

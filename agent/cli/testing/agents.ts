import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Environment, outlive, type TestPlace } from "./run-outlive.ts";

/** A program in place of the agent's: what the commands of a test start when they start one. */
export function agentProgram(place: TestPlace, source: string): Environment {
	const path = join(place.home, "agent-program.mjs");
	writeFileSync(path, source);
	return { OUTLIVE_AGENT_PROGRAM: path };
}

/** Ends, with the test, whatever agent the place's data directory has then. */
export function endAgentAfter(test: TestContext, place: TestPlace): void {
	test.after(async () => {
		const pid = agentPid(place);
		if (pid === undefined) return;
		signal(pid, "SIGCONT");
		const { code } = await outlive(test, place, ["shutdown", "--now"]);
		if (code !== 0) signal(pid, "SIGKILL");
		await untilGone(pid);
	});
}

const LONGEST_END_MS = 20_000;

async function untilGone(pid: number): Promise<void> {
	const deadline = performance.now() + LONGEST_END_MS;
	while (isThere(pid)) {
		if (performance.now() > deadline) throw new Error(`The agent ${pid} does not end.`);
		await pause(25);
	}
}

/** The process that owns a place's data directory, by what it wrote there. */
export function agentPid(place: TestPlace): number | undefined {
	try {
		return (JSON.parse(readFileSync(join(place.data, "owner.json"), "utf8")) as { pid: number }).pid;
	} catch {
		// No agent has ever been there, or it is just writing.
		return undefined;
	}
}

export function signal(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(pid, name);
	} catch {
		// It has gone.
	}
}

/** Whether a process is there; one that has ended and that nobody has collected counts as gone. */
export function isThere(pid: number): boolean {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
	} catch {
		// No such process, or no /proc: then the signal decides.
	}
	try {
		process.kill(pid, 0);
		return process.platform !== "linux";
	} catch {
		return false;
	}
}

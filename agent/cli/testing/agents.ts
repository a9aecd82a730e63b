import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestPlace } from "./place.ts";
import type { Environment } from "./run-outlive.ts";

/** A program in place of the agent's: what the commands of a test start when they start one. */
export function agentProgram(place: TestPlace, source: string): Environment {
	const path = join(place.home, "agent-program.mjs");
	writeFileSync(path, source);
	return { OUTLIVE_AGENT_PROGRAM: path };
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

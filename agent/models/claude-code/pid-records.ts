import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identityOf, isAlive, type ProcessIdentity } from "../../durable/env/process-identity.ts";
import { sendSignal } from "../../durable/env/processes/signal.ts";
import { killGroup } from "./kill-group.ts";

/** Which processes of this agent run, kept so that the next agent can end what a dead one left. */
export type PidRecords = {
	/** @returns to be called when the process has ended */
	record(pid: number): () => void;
	/** Ends what an earlier agent left: those whose pid, start and boot are the recorded ones, and their groups. */
	endLeftovers(): void;
};

/** @param directory the agent's own; made when it is missing. Undefined: nothing is recorded */
export function createPidRecords(directory: string | undefined): PidRecords {
	if (directory === undefined) return { record: () => () => {}, endLeftovers() {} };
	return {
		record(pid) {
			const identity = identityOf(pid);
			// It has ended already, or can't be told from another one: then nothing could ever be ended safely.
			if (identity === undefined) return () => {};
			mkdirSync(directory, { recursive: true, mode: 0o700 });
			const file = join(directory, `${pid}.json`);
			writeFileSync(file, JSON.stringify(identity));
			return () => rmSync(file, { force: true });
		},
		endLeftovers() {
			for (const name of namesIn(directory)) {
				const file = join(directory, name);
				const identity = readIdentity(file);
				if (identity !== undefined && isAlive(identity) === "alive") killWithGroup(identity.pid);
				rmSync(file, { force: true });
			}
		},
	};
}

function namesIn(directory: string): string[] {
	try {
		return readdirSync(directory).filter((name) => name.endsWith(".json"));
	} catch {
		// Nothing was ever recorded.
		return [];
	}
}

function readIdentity(file: string): ProcessIdentity | undefined {
	try {
		const { pid, start, boot } = JSON.parse(readFileSync(file, "utf8"));
		const isWhole =
			Number.isSafeInteger(pid) && pid > 1 && typeof start === "string" && typeof boot === "string";
		return isWhole ? { pid, start, boot } : undefined;
	} catch {
		// Cut off in the middle by the crash: it names nobody.
		return undefined;
	}
}

/** An agent of an earlier version started none with a group of its own. */
function killWithGroup(pid: number): void {
	if (!killGroup(pid)) sendSignal(pid, "SIGKILL");
}

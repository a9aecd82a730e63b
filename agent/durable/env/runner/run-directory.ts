import { randomBytes } from "node:crypto";
import {
	linkSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../process-identity.ts";
import { normalizeStart } from "../processes/ps-output.ts";
import { errorCode } from "../processes/signal.ts";

/** What the names in a run's folder tell. */
export type RunRecord = {
	/** Who took the name `started`: nobody yet, the runner, or an agent that makes sure it never runs. */
	readonly started: "nobody" | "runner" | "withdrawn";
	/** From the name `exit-<status>`; any other name counts as absent. */
	readonly exit: number | undefined;
	/** Offsets of the files that hold output, ascending. */
	readonly outputs: readonly number[];
};

const NOTHING: RunRecord = { started: "nobody", exit: undefined, outputs: [] };

/** A folder that isn't there tells the same as an empty one. Other failures of the file system are thrown. */
export function readRunRecord(directory: string): RunRecord {
	const names = namesIn(directory);
	if (names === undefined) return NOTHING;
	let exit: number | undefined;
	const outputs: number[] = [];
	for (const name of names) {
		exit ??= statusOfName(name);
		const offset = offsetOfName(name);
		if (offset !== undefined) outputs.push(offset);
	}
	outputs.sort((a, b) => a - b);
	return { started: names.includes("started") ? whoStarted(directory) : "nobody", exit, outputs };
}

function namesIn(directory: string): string[] | undefined {
	try {
		return readdirSync(directory);
	} catch (error) {
		if (errorCode(error) === "ENOENT") return undefined;
		throw error;
	}
}

function statusOfName(name: string): number | undefined {
	const match = /^exit-(0|[1-9]\d{0,2})$/.exec(name);
	const status = Number(match?.[1]);
	return match !== null && status <= 255 ? status : undefined;
}

function offsetOfName(name: string): number | undefined {
	const match = /^output-(0|[1-9]\d{0,15})$/.exec(name);
	return match === null ? undefined : Number(match[1]);
}

/** The runner's `started` is empty from the moment it exists; an agent's has content from that moment on. */
function whoStarted(directory: string): "runner" | "withdrawn" {
	return lstatSync(join(directory, "started")).size === 0 ? "runner" : "withdrawn";
}

/** Who the runner is; it says so before it takes `started`. Undefined when there is nothing of that form. */
export function readRunner(directory: string): ProcessIdentity | undefined {
	const [pid, start, boot] = readLines(join(directory, "runner"));
	if (pid === undefined || !start || !boot) return undefined;
	return { pid: Number(pid), start: normalizeStart(start), boot };
}

/** Who leads the command's own process group: its shell. */
export function readLeader(directory: string): { readonly pid: number; readonly start: string } | undefined {
	const [pid, start] = readLines(join(directory, "command"));
	if (pid === undefined || !start) return undefined;
	return { pid: Number(pid), start: normalizeStart(start) };
}

/**
 * The last moment the runner is known to have been there, in the clock of process starts; undefined when it didn't come
 * to note it. `+n` is n seconds after its own start.
 */
export function readEnded(directory: string, runnerStart: number): number | undefined {
	const [noted] = readLines(join(directory, "ended"));
	if (!noted) return undefined;
	return noted.startsWith("+") ? runnerStart + Number(noted.slice(1)) : Number(noted);
}

function readLines(path: string): string[] {
	try {
		return readFileSync(path, "utf8").split("\n");
	} catch (error) {
		const code = errorCode(error);
		if (code === "ENOENT" || code === "EISDIR") return [];
		throw error;
	}
}

/** What the runner's shell complained about, for an error message; usually nothing. */
export function readLog(directory: string): string {
	return readLines(join(directory, "runner.log")).join("\n").trim().slice(0, 1000);
}

/**
 * Takes the name `started` for good, so that the runner never can. False when it is taken already. The link makes name
 * and content appear in one step.
 */
export function withdrawStart(directory: string): boolean {
	mkdirSync(directory, { recursive: true, mode: 0o700 });
	const claim = join(directory, `withdraw-${process.pid}-${randomBytes(4).toString("hex")}`);
	writeFileSync(claim, `withdrawn by process ${process.pid}\n`, { flag: "wx", mode: 0o600 });
	try {
		linkSync(claim, join(directory, "started"));
		return true;
	} catch (error) {
		if (errorCode(error) === "EEXIST") return false;
		throw error;
	} finally {
		unlinkSync(claim);
	}
}

import { readdirSync, readFileSync } from "node:fs";
import { parseProcStat } from "./proc-stat.ts";
import type { ListedProcess, ProcessLook, ProcessSource } from "./process-source.ts";
import { canSignal, errorCode } from "./signal.ts";

/** Processes as Linux shows them under `/proc`. */
export function linuxProcesses(proc = "/proc"): ProcessSource {
	let boot: string | undefined;
	return {
		bootId() {
			boot ??= readText(`${proc}/sys/kernel/random/boot_id`)?.trim() || undefined;
			return boot;
		},
		look: (pid) => look(proc, pid),
		async list({ mark, since }) {
			const listed: ListedProcess[] = [];
			for (const name of readdirSync(proc)) {
				const pid = Number(name);
				if (!Number.isSafeInteger(pid)) continue;
				const found = look(proc, pid);
				if (found.kind !== "found" || found.status.ended) continue;
				const candidate = since === undefined || Number(found.status.start) >= Number(since);
				listed.push({ ...found.status, marked: candidate && hasMark(proc, pid, mark) });
			}
			return listed;
		},
		async commandLines(pids) {
			const lines = new Map<number, string>();
			for (const pid of pids) {
				const line = readText(`${proc}/${pid}/cmdline`)?.replaceAll("\0", " ").trim();
				if (line !== undefined) lines.set(pid, line);
			}
			return lines;
		},
	};
}

function look(proc: string, pid: number): ProcessLook {
	try {
		const status = parseProcStat(readFileSync(`${proc}/${pid}/stat`, "latin1"));
		if (status !== undefined) return { kind: "found", status };
		return { kind: "unreadable", reason: `${proc}/${pid}/stat has an unknown form` };
	} catch (error) {
		// A file that isn't there proves nothing by itself: /proc may be absent or hide other people's processes.
		if (canSignal(pid) === "absent") return { kind: "absent" };
		return { kind: "unreadable", reason: `${proc}/${pid}/stat can't be read (${errorCode(error)})` };
	}
}

function hasMark(proc: string, pid: number, mark: string): boolean {
	const environment = readText(`${proc}/${pid}/environ`);
	return environment !== undefined && `\0${environment}\0`.includes(`\0${mark}\0`);
}

/** Undefined when it can't be read: the process ended, or belongs to somebody else. */
function readText(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return undefined;
	}
}

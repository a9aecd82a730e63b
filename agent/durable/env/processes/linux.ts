import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { parseProcStat } from "./proc-stat.ts";
import type { ProcessLook, ProcessSource, ProcessStatus } from "./process-source.ts";
import { canSignal, errorCode } from "./signal.ts";

/** Parent of the kernel's own threads, which have no environment. */
const KERNEL_THREADS = 2;
const LOOKS = 3;
const LOOK_AGAIN_MS = 2;

/** Processes as Linux shows them under `/proc`. */
export function linuxProcesses(proc = "/proc"): ProcessSource {
	let boot: string | undefined;
	return {
		bootId() {
			boot ??= readText(`${proc}/sys/kernel/random/boot_id`)?.trim() || undefined;
			return boot;
		},
		look: (pid) => look(proc, pid),
		startedAt: Number,
		async list({ mark, since }) {
			const pids = readdirSync(proc).map(Number).filter(Number.isSafeInteger);
			const listed = pids.flatMap((pid) => {
				const found = look(proc, pid);
				return found.kind === "found" && !found.status.ended ? [found.status] : [];
			});
			const candidates = listed.filter((one) => since === undefined || one.startedAt >= since);
			const marked = mark === undefined ? new Set<number>() : await pidsWithMark(proc, candidates, mark);
			return listed.map((status) => ({ ...status, marked: marked.has(status.pid) }));
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
		const status = parseProcStat(readLine(`${proc}/${pid}/stat`));
		if (status !== undefined) return { kind: "found", status };
		return { kind: "unreadable", reason: `${proc}/${pid}/stat has an unknown form` };
	} catch (error) {
		// A file that isn't there proves nothing by itself: /proc may be absent or hide other people's processes.
		if (canSignal(pid) === "absent") return { kind: "absent" };
		return { kind: "unreadable", reason: `${proc}/${pid}/stat can't be read (${errorCode(error)})` };
	}
}

const line = Buffer.alloc(4096);

/** One read, since this is done for every process there is: half the time of `readFileSync`. */
function readLine(path: string): string {
	const file = openSync(path, "r");
	try {
		return line.toString("latin1", 0, readSync(file, line, 0, line.length, 0));
	} finally {
		closeSync(file);
	}
}

/**
 * While a process becomes another program its environment reads as empty for a moment, so an empty one is looked at
 * again.
 */
async function pidsWithMark(
	proc: string,
	candidates: readonly ProcessStatus[],
	mark: string,
): Promise<ReadonlySet<number>> {
	const found = new Set<number>();
	let undecided = candidates.filter(({ parent, pid }) => parent !== KERNEL_THREADS && pid !== KERNEL_THREADS);
	for (let looks = 0; undecided.length > 0 && looks < LOOKS; looks++) {
		if (looks > 0) await setTimeout(LOOK_AGAIN_MS);
		undecided = undecided.filter(({ pid }) => {
			const environment = readText(`${proc}/${pid}/environ`);
			if (environment !== undefined && `\0${environment}\0`.includes(`\0${mark}\0`)) found.add(pid);
			return environment === "";
		});
	}
	return found;
}

/** Undefined when it can't be read: the process ended, or belongs to somebody else. */
function readText(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return undefined;
	}
}

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** What a process of this machine uses, as the kernel tells it: `/proc` on Linux, `ps` elsewhere. */

const hasProc = existsSync("/proc/self/status");

/** Memory in RAM, in MB (a million bytes). */
export function residentMb(pid: number): number {
	const kib = hasProc
		? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
		: ps("rss=", pid);
	return (Number(kib) * 1024) / 1e6;
}

/** CPU time of all its threads so far, in ms. */
export function cpuMs(pid: number): number {
	if (!hasProc) return minutesToMs(ps("cputime=", pid));
	return threads(pid)
		.map((thread) => Number(readFileSync(`${thread}/schedstat`, "utf8").split(" ")[0]) / 1e6)
		.reduce((sum, ms) => sum + ms, 0);
}

/** How often its main thread has woken up by itself so far; undefined where the kernel doesn't count that. */
export function wakeUps(pid: number): number | undefined {
	if (!hasProc) return undefined;
	const status = readFileSync(`/proc/${pid}/task/${pid}/status`, "utf8");
	return Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)![1]);
}

const LOOK_EVERY_MS = 250;
const LOOKS = 8;
const LONGEST_MS = 30_000;

/** The memory of a process once it stays within 1 % for two seconds, or after half a minute as it is then; in MB. */
export async function settledMb(pid: number): Promise<number> {
	const deadline = performance.now() + LONGEST_MS;
	let looks: number[] = [];
	for (;;) {
		looks = [...looks, residentMb(pid)].slice(-LOOKS);
		const settled = looks.length === LOOKS && Math.max(...looks) <= Math.min(...looks) * 1.01;
		if (settled || performance.now() > deadline) return looks.at(-1)!;
		await pause(LOOK_EVERY_MS);
	}
}

function threads(pid: number): string[] {
	return readdirSync(`/proc/${pid}/task`).map((id) => `/proc/${pid}/task/${id}`);
}

function ps(column: string, pid: number): string {
	return execFileSync("ps", ["-o", column, "-p", String(pid)], { encoding: "utf8" }).trim();
}

/** `[[days-]hours:]minutes:seconds`, as `ps` writes it. */
function minutesToMs(time: string): number {
	return (
		time.split(/[-:]/).reduce((sum, part, index, parts) => {
			const isDays = time.includes("-") && index === 0;
			return (sum + Number(part)) * (index === parts.length - 1 ? 1 : isDays ? 24 : 60);
		}, 0) * 1_000
	);
}

import type { ProcessStatus } from "./process-source.ts";

/**
 * Reads a line of `/proc/<pid>/stat`. The name in parentheses may itself hold spaces and parentheses, so the fields
 * are counted after the last `)`. Undefined when it isn't such a line.
 */
export function parseProcStat(line: string): ProcessStatus | undefined {
	const close = line.lastIndexOf(")");
	const pid = Number.parseInt(line, 10);
	if (close < 0 || !Number.isSafeInteger(pid)) return undefined;
	const fields = line
		.slice(close + 1)
		.trim()
		.split(" ");
	const [state, parent, group, session] = fields;
	// proc(5) counts from 1 and the state is field 3, so field 22, the start in clock ticks since boot, is the 20th.
	const start = fields[19];
	if (state === undefined || start === undefined || !/^\d+$/.test(start)) return undefined;
	return {
		pid,
		parent: Number(parent),
		group: Number(group),
		session: Number(session),
		start,
		startedAt: Number(start),
		ended: state === "Z" || state === "X",
	};
}

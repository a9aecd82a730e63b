import type { ListedProcess, ProcessStatus } from "./process-source.ts";

/**
 * Columns asked of `ps` on macOS, without headings. `lstart` is 24 characters in the C locale, and in the time zone
 * of `ps` itself: always run it with `LC_ALL=C` and `TZ=UTC0`, or a change of zone would look like another process.
 */
export const PS_COLUMNS = "pid=,ppid=,pgid=,state=,lstart=";

const LINE =
	/^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+([A-Z][a-z]{2}\s+[A-Z][a-z]{2}\s+\d{1,2}\s+\d{2}:\d{2}:\d{2}\s+\d{4})(?:\s+(.*))?$/;

type PsLine = { readonly status: ProcessStatus; readonly command: string };

function parsePsLine(line: string): PsLine | undefined {
	const match = LINE.exec(line);
	if (match === null) return undefined;
	const [, pid, parent, group, state, start, command] = match;
	return {
		status: {
			pid: Number(pid),
			parent: Number(parent),
			group: Number(group),
			session: undefined,
			start: normalizeStart(start!),
			startedAt: startInSeconds(start!),
			ended: state!.startsWith("Z"),
		},
		command: command ?? "",
	};
}

/** One space between the parts: `ps` pads the day of the month. */
export function normalizeStart(start: string): string {
	return start.trim().split(/\s+/).join(" ");
}

/** Seconds since the epoch. */
export function startInSeconds(start: string): number {
	return Date.parse(`${normalizeStart(start)} UTC`) / 1000;
}

/** The first line that tells of a process, of `ps -o <PS_COLUMNS> -p <pid>`. */
export function parsePsStatus(output: string): ProcessStatus | undefined {
	return output
		.split("\n")
		.map(parsePsLine)
		.find((line) => line !== undefined)?.status;
}

/**
 * Lines of `ps -axEww -o <PS_COLUMNS>,command=`, where the environment follows the arguments. `mark` is a whole
 * `NAME=value`; it counts where it stands as a word of its own.
 */
export function parsePsList(output: string, mark: string | undefined): ListedProcess[] {
	const listed: ListedProcess[] = [];
	for (const line of output.split("\n")) {
		const parsed = parsePsLine(line);
		if (parsed === undefined || parsed.status.ended) continue;
		listed.push({
			...parsed.status,
			marked: mark !== undefined && ` ${parsed.command} `.includes(` ${mark} `),
		});
	}
	return listed;
}

/** Lines of `ps -ww -o pid=,command=`. */
export function parsePsCommands(output: string): Map<number, string> {
	const commands = new Map<number, string>();
	for (const line of output.split("\n")) {
		const match = /^\s*(\d+)\s+(.*)$/.exec(line);
		if (match !== null) commands.set(Number(match[1]), match[2]!.trim());
	}
	return commands;
}

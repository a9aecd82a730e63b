import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import type { ProcessLook, ProcessSource } from "./process-source.ts";
import { PS_COLUMNS, parsePsCommands, parsePsList, parsePsStatus, startInSeconds } from "./ps-output.ts";
import { canSignal } from "./signal.ts";

const PS = "/bin/ps";
const SYSCTL = "/usr/sbin/sysctl";
/** Starts are text: they must never change with a person's language or time zone. */
const PLAIN = { LC_ALL: "C", TZ: "UTC0", PATH: "/usr/bin:/bin:/usr/sbin:/sbin" };
const LONGEST_ANSWER = 64 * 1024 * 1024;
const LONGEST_WAIT_MS = 10_000;

const run = promisify(execFile);

/**
 * Processes as macOS shows them through `ps`. It has no session ids, and shows no environment of the system's own
 * binaries: members are found by process group and by parents.
 */
export function macosProcesses(): ProcessSource {
	let boot: string | undefined;
	return {
		bootId() {
			boot ??= ask(SYSCTL, ["-n", "kern.bootsessionuuid"])?.trim() || undefined;
			return boot;
		},
		look,
		startedAt: startInSeconds,
		async list({ mark }) {
			return parsePsList(await answer(["-axEww", "-o", `${PS_COLUMNS},command=`]), mark);
		},
		async commandLines(pids) {
			if (pids.length === 0) return new Map();
			return parsePsCommands(await answer(["-ww", "-o", "pid=,command=", "-p", pids.join(",")]));
		},
	};
}

function look(pid: number): ProcessLook {
	if (canSignal(pid) === "absent") return { kind: "absent" };
	const output = ask(PS, ["-o", PS_COLUMNS, "-p", String(pid)]);
	const status = output === undefined ? undefined : parsePsStatus(output);
	if (status !== undefined) return { kind: "found", status };
	// It may have ended while ps was looking.
	if (canSignal(pid) === "absent") return { kind: "absent" };
	return { kind: "unreadable", reason: `ps tells nothing about process ${pid}` };
}

/** Undefined when the program failed; `ps` does so when it finds nobody. */
function ask(program: string, args: readonly string[]): string | undefined {
	try {
		return execFileSync(program, args, {
			env: PLAIN,
			encoding: "utf8",
			stdio: ["ignore", "pipe", "ignore"],
			timeout: LONGEST_WAIT_MS,
		});
	} catch {
		return undefined;
	}
}

async function answer(args: readonly string[]): Promise<string> {
	const { stdout } = await run(PS, args, { env: PLAIN, maxBuffer: LONGEST_ANSWER, timeout: LONGEST_WAIT_MS });
	return stdout;
}

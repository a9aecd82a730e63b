import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/**
 * When a process was started, as text that is only good for comparing. A pid alone names no process for long:
 * the system gives it out again.
 *
 * @param {number} pid
 * @returns {string | undefined} undefined when no live process has this pid
 */
export function processStart(pid) {
	return process.platform === "linux" ? startFromProc(pid) : startFromPs(pid);
}

/** @param {number} pid */
function startFromProc(pid) {
	let stat;
	try {
		stat = readFileSync(`/proc/${pid}/stat`, "utf8");
	} catch {
		// No such entry: the process is gone.
		return undefined;
	}
	// The name in parentheses may hold spaces and parentheses; the state follows the last one.
	const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
	const state = fields[0];
	return state === "Z" || state === "X" ? undefined : fields[19];
}

/** @param {number} pid */
function startFromPs(pid) {
	const run = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], {
		encoding: "utf8",
		env: { ...process.env, LC_ALL: "C" },
	});
	return run.stdout.trim() || undefined;
}

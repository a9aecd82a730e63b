import { spawn } from "node:child_process";
import type { Environment } from "../../platform/environment.ts";

/** A vault that asks the person to unlock it may wait for ever. */
const LONGEST_MS = 10_000;

/**
 * What a program printed, given `input`; undefined when it can't be run, fails or takes too long. A key belongs into
 * `input`: arguments can be read by every process on the machine. What the program says on its error output is dropped,
 * since it may repeat its input.
 */
export function runWithInput(
	executable: string,
	args: readonly string[],
	input: string,
	environment: Environment,
): Promise<string | undefined> {
	return new Promise((resolve) => {
		const child = spawn(executable, args, {
			env: environment,
			cwd: "/",
			stdio: ["pipe", "pipe", "ignore"],
			timeout: LONGEST_MS,
			killSignal: "SIGKILL",
		});
		let printed = "";
		child.stdout.setEncoding("utf8").on("data", (text: string) => {
			printed += text;
		});
		// It may have ended without reading; its exit code says how.
		child.stdin.on("error", () => {});
		child.on("error", () => resolve(undefined));
		child.on("close", (code) => resolve(code === 0 ? printed : undefined));
		child.stdin.end(input);
	});
}

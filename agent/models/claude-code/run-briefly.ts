import { execFile } from "node:child_process";
import type { Environment } from "../../platform/environment.ts";

/** What a short command printed, whatever it ended with; undefined when it could not be run or took too long. */
export function runBriefly(
	executable: string,
	args: readonly string[],
	options: {
		readonly environment: Environment;
		readonly cwd: string;
		readonly timeoutMs: number;
		readonly signal: AbortSignal;
	},
): Promise<string | undefined> {
	const { environment, cwd, timeoutMs, signal } = options;
	return new Promise((resolve) => {
		const child = execFile(
			executable,
			args,
			{ env: environment, cwd, timeout: timeoutMs, killSignal: "SIGKILL", signal, maxBuffer: 1024 * 1024 },
			(error, stdout) => resolve(error?.killed || typeof error?.code === "string" ? undefined : stdout),
		);
		child.stdin?.end();
	});
}

import { spawn } from "node:child_process";
import type { Environment } from "../../platform/environment.ts";
import { killGroup } from "./kill-group.ts";

/** More than any answer about itself has, in characters. */
const MOST = 1024 * 1024;

/**
 * What a short command printed, whatever it ended with; undefined when it could not be run or took too long. Then it is
 * killed with everything it started.
 */
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
		const child = spawn(executable, args, {
			env: environment,
			cwd,
			detached: true,
			stdio: ["ignore", "pipe", "ignore"],
		});
		let printed = "";
		const end = (answer: string | undefined) => {
			clearTimeout(timer);
			signal.removeEventListener("abort", giveUp);
			resolve(answer);
		};
		const giveUp = () => {
			if (child.pid !== undefined) killGroup(child.pid);
			end(undefined);
		};
		const timer = setTimeout(giveUp, timeoutMs);
		signal.addEventListener("abort", giveUp, { once: true });
		child.stdout.setEncoding("utf8").on("data", (text: string) => {
			printed += text;
			if (printed.length > MOST) giveUp();
		});
		child.on("error", () => end(undefined));
		child.on("close", (code) => end(code === null ? undefined : printed));
		if (signal.aborted) giveUp();
	});
}

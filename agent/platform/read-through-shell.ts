import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";

export type ShellReading = {
	readonly shell: string;
	/** The shell's arguments before the command. */
	readonly args: readonly string[];
	readonly execPath: string;
	/** A JavaScript expression without single quotes whose value is the text to bring back. */
	readonly expression: string;
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	readonly timeoutMs: number;
	readonly signal: AbortSignal | undefined;
};

/** How long output is awaited after the shell has ended, when something it started still holds the pipe open. */
const AFTER_END_MS = 500;

/**
 * The value of an expression, evaluated by Node inside a shell that has read its start-up files. Anything else that
 * is printed is passed over: the value stands between two marks that nothing else can know. Rejects with a sentence
 * when the shell can't be started, ends without printing it, or takes too long; in that last case its whole process
 * group is killed. What start-up files left running in the background is left alone otherwise.
 */
export function readThroughShell(reading: ShellReading): Promise<string> {
	const { shell, timeoutMs, signal } = reading;
	const halves = [randomBytes(9).toString("hex"), randomBytes(9).toString("hex")] as const;
	const between = markedText(halves.join(""));
	const child = spawn(shell, [...reading.args, commandLine(reading, halves)], {
		// A session of its own: no terminal to wait for or to disturb, and a group that can be killed as one.
		detached: true,
		stdio: ["ignore", "pipe", "ignore"],
		cwd: reading.cwd,
		env: reading.env,
	});
	const { promise, resolve, reject } = Promise.withResolvers<string>();
	const killGroup = () => {
		try {
			process.kill(-child.pid!, "SIGKILL");
		} catch {
			// The group has just ended: nothing is left to kill (macOS says EPERM of one that only waits to be reaped).
		}
	};
	const giveUp = (sentence: string) => {
		killGroup();
		reject(new Error(sentence));
	};
	const limit = setTimeout(
		() => giveUp(`${shell} did not get through its start-up files within ${timeoutMs / 1000} s.`),
		timeoutMs,
	);
	const abort = () => giveUp(`Reading the environment from ${shell} was given up.`);
	// Between start and end the shell's number is surely its own, so only then may its group be killed.
	child.once("spawn", () => {
		process.once("exit", killGroup);
		signal?.addEventListener("abort", abort, { once: true });
		if (signal?.aborted) abort();
	});
	const ended = () => {
		clearTimeout(limit);
		process.off("exit", killGroup);
		signal?.removeEventListener("abort", abort);
	};
	child.once("error", (error) => {
		ended();
		reject(new Error(`${shell} could not be started (${error.message}).`));
	});
	child.once("exit", (code, killedBy) => {
		ended();
		const how = code === null ? `was ended by ${killedBy}` : `ended with exit code ${code}`;
		const printedNothing = () =>
			reject(new Error(`${shell} ${how} before it came to print its environment.`));
		child.once("close", printedNothing);
		const late = setTimeout(printedNothing, AFTER_END_MS);
		const settled = () => clearTimeout(late);
		promise.then(settled, settled);
	});
	child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
		const text = between(chunk);
		if (text !== undefined) resolve(text);
	});
	const release = () => {
		child.stdout.destroy();
		// A shell that lingers (a logout file that waits) still meets the limit, but holds nothing up.
		child.unref();
		limit.unref();
	};
	promise.then(release, release);
	return promise;
}

/**
 * The command, in words that sh, zsh, fish and csh read alike. Node's own variables are set for it alone, so that
 * start-up files don't see them; the mark is put together there, so that an echoed command line doesn't hold it.
 */
function commandLine(reading: ShellReading, [first, second]: readonly [string, string]): string {
	const mark = `"${first}"+"${second}"`;
	const program = `process.stdout.write(${mark}+(${reading.expression})+${mark})`;
	const binary = reading.execPath.replaceAll("'", "'\\''");
	return `/usr/bin/env ELECTRON_RUN_AS_NODE=1 NODE_OPTIONS= '${binary}' -e '${program}'`;
}

/** Takes output piece by piece; returns what stands between two marks once both were seen. */
function markedText(mark: string): (chunk: string) => string | undefined {
	let text = "";
	let started = false;
	return (chunk) => {
		text += chunk;
		if (!started) {
			const at = text.indexOf(mark);
			started = at !== -1;
			// Noise before the mark is not kept, however much there is of it.
			text = started ? text.slice(at + mark.length) : text.slice(-mark.length);
		}
		const end = started ? text.indexOf(mark) : -1;
		return end === -1 ? undefined : text.slice(0, end);
	};
}

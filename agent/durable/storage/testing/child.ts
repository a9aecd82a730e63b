import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A Node process that runs one of this folder's scripts and talks in lines. */
export type Child = {
	readonly pid: number;
	/** The next line it prints. Rejects when it ends without one. */
	line(): Promise<string>;
	send(line: string): void;
	signal(signal: NodeJS.Signals): void;
	/** Resolves when it has ended. */
	readonly ended: Promise<void>;
};

/** Starts a script of this folder, hands it to `run`, and ends it afterwards. */
export async function withChild(
	script: string,
	args: readonly string[],
	run: (child: Child) => Promise<void>,
): Promise<void> {
	const path = fileURLToPath(new URL(script, import.meta.url));
	const child = spawn(process.execPath, [path, ...args], { stdio: ["pipe", "pipe", "inherit"] });
	const ended = once(child, "exit").then(() => undefined);
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	// A child that has ended takes no more input; whoever waits for its answer hears of the end.
	child.stdin.on("error", () => undefined);
	try {
		await run({
			pid: child.pid!,
			async line() {
				const { value, done } = await lines.next();
				if (done === true) throw new Error(`${script} ended without an answer`);
				return value;
			},
			send: (line) => void child.stdin.write(`${line}\n`),
			signal: (signal) => void child.kill(signal),
			ended,
		});
	} finally {
		child.kill("SIGKILL");
		await ended;
	}
}

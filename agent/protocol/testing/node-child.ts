import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { createQueue } from "./queue.ts";

export type Child = {
	readonly process: ChildProcessWithoutNullStreams;
	/** The next line of its standard output; fails the test when none comes. */
	line(): Promise<string>;
	/** SIGKILL, and wait until it is gone. */
	kill(): Promise<void>;
};

/** Runs a module given as text in a Node process of its own, with arguments from `process.argv[1]` on. */
export function runNode(test: TestContext, source: string, ...args: string[]): Child {
	const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", source, "--", ...args]);
	const lines = createQueue<string>("a line of the child");
	createInterface(child.stdout).on("line", (line) => lines.push(line));
	child.stderr.pipe(process.stderr, { end: false });
	const kill = async () => {
		if (child.exitCode !== null || child.signalCode !== null) return;
		child.kill("SIGKILL");
		await once(child, "exit");
	};
	test.after(kill);
	return { process: child, line: () => lines.next(), kill };
}

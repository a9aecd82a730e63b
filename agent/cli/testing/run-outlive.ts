import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import type { TestPlace } from "./place.ts";

export const OUTLIVE = fileURLToPath(new URL("../main.ts", import.meta.url));
const DEADLINE_MS = 60_000;

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a command run in a place sees of the environment. */
export function environmentOf(place: TestPlace, more: Environment = {}): NodeJS.ProcessEnv {
	return {
		HOME: place.home,
		PATH: process.env.PATH,
		SHELL: "/bin/bash",
		TMPDIR: tmpdir(),
		OUTLIVE_DATA_DIR: place.data,
		// What this machine happens to have, a logged-in Claude Code or a running Ollama, is no part of a test.
		OUTLIVE_LOOK_FOR: "api",
		// By this the test runner finds processes that a test left behind.
		OUTLIVE_TEST_FILE: process.env.OUTLIVE_TEST_FILE,
		...more,
	};
}

export type RunOptions = { readonly env?: Environment; readonly input?: string; readonly cwd?: string };

export type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type Running = {
	readonly child: ChildProcessWithoutNullStreams;
	/** All of its standard output so far, and of its standard error. */
	stdout(): string;
	stderr(): string;
	/** Resolves when its standard output matches; fails loudly when the process ends first or takes too long. */
	prints(pattern: RegExp): Promise<void>;
	/** Waits for its end. */
	finished(): Promise<Finished>;
};

/** Starts `outlive` as a process of its own, in the place's project folder. Killed with the test if it still runs. */
export function startOutlive(
	test: TestContext,
	place: TestPlace,
	args: readonly string[],
	options: RunOptions = {},
): Running {
	const child = spawn(process.execPath, [OUTLIVE, ...args], {
		cwd: options.cwd ?? place.project,
		env: environmentOf(place, options.env),
	});
	let stdout = "";
	let stderr = "";
	const closed = once(child, "close");
	const looks = new Set<() => void>();
	const onText = () => {
		for (const look of [...looks]) look();
	};
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		stdout += text;
		onText();
	});
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		stderr += text;
		onText();
	});
	child.on("close", onText);
	// A command that ends before it has read its input is part of the tests.
	child.stdin.on("error", () => {});
	if (options.input !== undefined) child.stdin.end(options.input);
	test.after(async () => {
		if (child.exitCode !== null || child.signalCode !== null) return;
		child.kill("SIGKILL");
		await closed;
	});
	const describe = () => `outlive ${args.join(" ")}\nstdout: ${stdout}\nstderr: ${stderr}`;

	return {
		child,
		stdout: () => stdout,
		stderr: () => stderr,
		prints(pattern) {
			return new Promise((resolve, reject) => {
				const settle = (act: () => void) => {
					looks.delete(look);
					clearTimeout(deadline);
					act();
				};
				const look = () => {
					if (pattern.test(stdout)) settle(resolve);
					else if (child.exitCode !== null || child.signalCode !== null)
						settle(() => reject(new Error(`It ended without printing ${pattern}. ${describe()}`)));
				};
				const deadline = setTimeout(
					() => settle(() => reject(new Error(`It did not print ${pattern} in time. ${describe()}`))),
					DEADLINE_MS,
				);
				looks.add(look);
				look();
			});
		},
		async finished() {
			const deadline = setTimeout(() => child.kill("SIGKILL"), DEADLINE_MS);
			const [code] = (await closed) as [number | null];
			clearTimeout(deadline);
			if (code === null) throw new Error(`It did not end by itself. ${describe()}`);
			return { code, stdout, stderr };
		},
	};
}

/** Runs `outlive` to its end. */
export function outlive(
	test: TestContext,
	place: TestPlace,
	args: readonly string[],
	options: RunOptions = {},
): Promise<Finished> {
	return startOutlive(test, place, args, { input: "", ...options }).finished();
}

import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import type { TestRunner } from "../storage/conformance.ts";
import { commandPromises } from "./conformance/commands.ts";
import { type FilesUnderTest, filePromises } from "./conformance/files.ts";
import type { ExecutionEnv } from "./execution-env.ts";

/** Opens an environment whose `cwd` is an empty folder of its own, hands it to `run`, and cleans up after it. */
export type UseEnv = (run: (env: ExecutionEnv) => Promise<void>) => Promise<void>;

/**
 * Registers what every execution environment promises of its files and its commands as tests of the runner. `use` opens
 * a fresh one for each test. Its commands must find `sh`, `cat`, `kill`, `ln`, `printf` and `sleep`.
 */
export function registerEnvConformance({ describe, it }: TestRunner, name: string, use: UseEnv): void {
	describe(name, () => {
		describe("files", () =>
			filePromises<FilesUnderTest>((promise, check) =>
				it(promise, () => use((env) => check({ fs: env, symlink: linkThrough(env) }))),
			));
		describe("commands", () => commandPromises((promise, check) => it(promise, () => use(check))));
	});
}

function linkThrough(env: ExecutionEnv): FilesUnderTest["symlink"] {
	return async (target, path) => {
		const { exitCode } = await env.exec(["ln", "-s", target, path], {}, BACKGROUND_CONTEXT);
		if (exitCode !== 0) throw new Error(`ln made no link at ${path}: it ended with ${exitCode}.`);
	};
}

import type { ExecutionEnv } from "./execution-env.ts";
import type { FileSystem } from "./file-system.ts";
import {
	createMemoryFileSystem,
	type MemoryFileSystem,
	type MemoryFileSystemOptions,
} from "./memory-file-system.ts";

/** An environment with files and without processes: every `exec` rejects. The file system's methods use no `this`. */
export function createFilesOnlyEnv<Files extends FileSystem>(fs: Files): Files & ExecutionEnv {
	return {
		...fs,
		exec: async (_command, _options, context) => {
			context.abortSignal?.throwIfAborted();
			throw new Error("No commands run here: this environment has files only.");
		},
		cleanup: async () => {},
		commands: undefined,
	};
}

/** An environment in memory: for tests, and for hosts without a disk. */
export function createMemoryEnv(options: MemoryFileSystemOptions = {}): MemoryFileSystem & ExecutionEnv {
	return createFilesOnlyEnv(createMemoryFileSystem(options));
}

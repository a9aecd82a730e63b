import type { ExecutionEnv } from "./execution-env.ts";
import type { FileSystem } from "./file-system.ts";
import { createMemoryFileSystem, type MemoryFileSystemOptions } from "./memory-file-system.ts";

/** An environment with files and without processes: `exec` refuses. */
export function createFilesOnlyEnv(fs: FileSystem): ExecutionEnv {
	return {
		...fs,
		exec: async () => {
			throw new Error("The command was not run: this environment has files but no processes.");
		},
		cleanup: async () => {},
		commands: undefined,
	};
}

/** An environment in memory: for tests, and for hosts without a disk. */
export function createMemoryEnv(options: MemoryFileSystemOptions = {}): ExecutionEnv {
	return createFilesOnlyEnv(createMemoryFileSystem(options));
}

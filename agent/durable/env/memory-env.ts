import type { ExecutionEnv } from "./execution-env.ts";
import type { FileSystem } from "./file-system.ts";
import { createMemoryFileSystem, type MemoryFileSystemOptions } from "./memory-file-system.ts";

/** An environment with files and without processes. */
export function createFilesOnlyEnv(fs: FileSystem): ExecutionEnv & FileSystem {
	return fs;
}

/** An environment in memory: for tests, and for hosts without a disk. */
export function createMemoryEnv(options: MemoryFileSystemOptions = {}): ExecutionEnv & FileSystem {
	return createFilesOnlyEnv(createMemoryFileSystem(options));
}

/** What an environment is: what `outlive/durable/env` exports. */
export type * from "./durable-commands.ts";
export * from "./execution-env.ts";
export { FileError, type FileErrorCode } from "./file-error.ts";
export type * from "./file-system.ts";
export { createFilesOnlyEnv, createMemoryEnv } from "./memory-env.ts";

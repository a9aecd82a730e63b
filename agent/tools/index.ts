import { defineExtension } from "../durable/harness/registry.ts";
import type { Extension } from "../durable/types/extensions.ts";
import type { ToolRegistration } from "../durable/types/tools.ts";
import { bashTool } from "./bash/index.ts";
import { editTool } from "./edit.ts";
import { findTool } from "./find.ts";
import { grepTool } from "./grep.ts";
import { lsTool } from "./ls.ts";
import { readTool } from "./read.ts";
import { writeTool } from "./write.ts";

export { type EditDetails, editTool } from "./edit.ts";
export { type FindDetails, findTool } from "./find.ts";
export { createGrepTool, type GrepDetails, type GrepOptions, grepTool } from "./grep.ts";
export { type LsDetails, lsTool } from "./ls.ts";
export { type ReadDetails, readTool } from "./read.ts";
export { ReadFiles } from "./read-files.ts";
export { repairArguments } from "./repair.ts";
export { type WriteDetails, writeTool } from "./write.ts";

const fileTools = [readTool, writeTool, editTool, grepTool, findTool, lsTool] as const;

/** `read`, `write`, `edit`, `grep`, `find` and `ls`. */
export const FileTools = defineExtension({ name: "files", tools: fileTools });

/** The file tools and a `bash` in one extension: all a coding agent works with. */
export function createCodingTools({ bash }: { readonly bash: ToolRegistration }): Extension {
	return defineExtension({ name: "coding", tools: [...fileTools, bash] });
}

/** With the shipped `bash`. */
export const CodingTools = createCodingTools({ bash: bashTool });

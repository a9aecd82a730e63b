/**
 * The tools that programs over the harness use: what `outlive/durable/tools` exports. They know nothing of the product
 * but the harness.
 */
import { defineExtension } from "../durable/harness/registry.ts";
import { bashTool } from "./bash/index.ts";
import { editTool } from "./edit.ts";
import { readTool } from "./read.ts";
import { writeTool } from "./write.ts";

export { type BashDetails, type BashToolOptions, bashTool, createBashTool } from "./bash/index.ts";
export { type EditDetails, editTool } from "./edit.ts";
export { type FindDetails, findTool } from "./find.ts";
export { createGrepTool, type GrepDetails, type GrepOptions, grepTool } from "./grep.ts";
export { type LsDetails, lsTool } from "./ls.ts";
export { type ReadDetails, readTool } from "./read.ts";
export { type WriteDetails, writeTool } from "./write.ts";

/** `read`, `write`, `edit` and `bash`. */
export const CodingTools = defineExtension({
	name: "coding-tools",
	tools: [readTool, writeTool, editTool, bashTool],
});

import { defineExtension } from "../durable/harness/registry.ts";
import type { Extension } from "../durable/types/extensions.ts";
import type { ToolRegistration } from "../durable/types/tools.ts";
import { FileTools } from "./index.ts";

/** All a coding agent works with: the file tools and a `bash`, in one extension named `coding`. */
export function createCodingTools({ bash }: { readonly bash: ToolRegistration }): Extension {
	return defineExtension({ name: "coding", tools: [...(FileTools.tools ?? []), bash] });
}

import type { ExecutionEnv } from "../durable/env/execution-env.ts";
import type { ToolExecutionApi } from "../durable/types/tools.ts";

/** The environment of this call; a host that gives none offers no files and no shell. */
export function environmentOf(api: Pick<ToolExecutionApi, "env">): ExecutionEnv {
	if (api.env !== undefined) return api.env;
	throw new Error("This session has no files or shell to work with. Answer without them.");
}

import { realpathSync } from "node:fs";
import { describe, it } from "node:test";
import { inFolder } from "../storage/testing/folder.ts";
import { registerEnvConformance } from "./env-conformance.ts";
import { NodeExecutionEnv } from "./node-env.ts";

registerEnvConformance({ describe, it }, "NodeExecutionEnv", (run) =>
	inFolder(async (folder) => {
		const env = new NodeExecutionEnv({ cwd: realpathSync(folder), killAfterMs: 200 });
		try {
			await run(env);
		} finally {
			await env.cleanup();
		}
	}),
);

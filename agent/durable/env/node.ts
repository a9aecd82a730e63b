/** The environment on this machine: what `outlive/durable/env/node` exports. */
export { commandIntent } from "./command-intent.ts";
export { NodeExecutionEnv, type NodeExecutionEnvOptions } from "./node-env.ts";
export { createNodeCommands, type NodeCommandsOptions } from "./runner/node-commands.ts";

import { build } from "vite";
import { agentBundle } from "../../../vite.config.ts";
import type { AgentVariant } from "../ground.ts";
import { programInput } from "../run-program.ts";
import { timedTokens } from "../timed/timed-tokens.ts";

const { folder, variant } = programInput<{ folder: string; variant: AgentVariant }>();
const bundle = agentBundle("agent/main.ts", folder);
const plugins = variant === "timed" ? [timedTokens(), ...(bundle.plugins ?? [])] : bundle.plugins;
await build({ ...bundle, plugins });

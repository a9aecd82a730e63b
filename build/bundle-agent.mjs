/** `npm run build:agent`: bundles agent/main.ts to out/agent.js, with what it loads late in out/agent/. */
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { agentBundle } from "../vite.config.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, "out");
for (const old of ["agent.js", "agent.js.map", "agent"])
	rmSync(join(out, old), { recursive: true, force: true });
await build(agentBundle("agent/main.ts", out));

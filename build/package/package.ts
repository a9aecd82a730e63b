/**
 * `npm run package`: the app with its agent, packed by electron-builder for this system, into `dist/`. Further arguments
 * go to electron-builder. It downloads Electron's binary, so it works where that can be had.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { agentBundle } from "../../vite.config.ts";
import { buildApp } from "./build-app.ts";

const root = join(import.meta.dirname, "..", "..");
const app = join(root, "out", "app");

/** The systems that the app is packed for, as better-sqlite3 names their binaries. */
const SYSTEMS = /^(darwin|linux)-/;

await buildApp(app);
await build(agentBundle("agent/main.ts", app));
stageStore(join(root, "out", "package", "better-sqlite3"));
const builder = join(root, "node_modules", "electron-builder", "cli.js");
const { status } = spawnSync(
	process.execPath,
	[builder, "--config", "electron-builder.yml", "--publish", "never", ...process.argv.slice(2)],
	{ cwd: root, stdio: "inherit" },
);
process.exitCode = status ?? 1;

/** Only what better-sqlite3 needs when it runs. */
function stageStore(to: string): void {
	const from = join(root, "node_modules", "better-sqlite3");
	rmSync(to, { recursive: true, force: true });
	mkdirSync(join(to, "prebuilds"), { recursive: true });
	for (const name of ["package.json", "LICENSE", "lib"])
		cpSync(join(from, name), join(to, name), { recursive: true });
	for (const name of readdirSync(join(from, "prebuilds")).filter((each) => SYSTEMS.test(each)))
		cpSync(join(from, "prebuilds", name), join(to, "prebuilds", name));
}

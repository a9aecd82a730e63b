/**
 * `npm run package`: the app with its agent, packed by electron-builder for this system, into `dist/`. Further arguments
 * go to electron-builder. It downloads Electron's binary, so it works where that can be had.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { agentBundle } from "../../vite.config.ts";
import { exitCodeOf, inForeground } from "../foreground.mjs";
import { buildApp } from "./build-app.ts";

const root = join(import.meta.dirname, "..", "..");
const app = join(root, "out", "app");

const STORE = "better-sqlite3";
/** The systems that the app is packed for, as better-sqlite3 names their binaries. */
const SYSTEMS = /^(darwin|linux)-/;

await buildApp(app);
await build(agentBundle("agent/main.ts", app));
stageStore();
const builder = join(root, "node_modules", "electron-builder", "cli.js");
const args = ["--config", "electron-builder.yml", "--publish", "never", ...process.argv.slice(2)];
const packing = await inForeground(() =>
	spawn(process.execPath, [builder, ...args], { cwd: root, stdio: "inherit" }),
);
process.exitCode = exitCodeOf(packing);

/** The app's one package: of better-sqlite3 what it needs when it runs, which is no other package. */
function stageStore(): void {
	const from = join(root, "node_modules", STORE);
	const to = join(app, "node_modules", STORE);
	mkdirSync(join(to, "prebuilds"), { recursive: true });
	for (const name of ["LICENSE", "lib"]) cpSync(join(from, name), join(to, name), { recursive: true });
	for (const name of readdirSync(join(from, "prebuilds")).filter((each) => SYSTEMS.test(each)))
		cpSync(join(from, "prebuilds", name), join(to, "prebuilds", name));
	const manifest = readManifest(join(from, "package.json"));
	writeManifest(join(to, "package.json"), { ...manifest, dependencies: {} });
	const ofApp = readManifest(join(app, "package.json"));
	writeManifest(join(app, "package.json"), { ...ofApp, dependencies: { [STORE]: manifest.version } });
}

function readManifest(path: string): Record<string, unknown> {
	return JSON.parse(readFileSync(path, "utf8"));
}

function writeManifest(path: string, manifest: object): void {
	writeFileSync(path, `${JSON.stringify(manifest, null, "\t")}\n`);
}

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { buildApp } from "./build-app.ts";

const root = join(import.meta.dirname, "..", "..");

/** Everything that the app is made of, but the agent. */
const SOURCES = [
	"main",
	"renderer",
	"agent/protocol",
	"agent/platform",
	"build/package",
	"build/icons/made",
	"package.json",
	"package-lock.json",
];

const MOST_KEPT = 3;

/**
 * The app as it is built from the sources as they are, for Electron to run: a folder in `out/` of its own, so that a
 * running app keeps its files. It is built when it isn't there yet.
 *
 * @returns the folder
 */
export async function builtApp(): Promise<string> {
	const folder = join(root, "out", `app-${sourcesFingerprint().slice(0, 16)}`);
	if (existsSync(folder)) {
		const now = new Date();
		utimesSync(folder, now, now);
		return folder;
	}
	const unfinished = `${folder}.${process.pid}`;
	try {
		await buildApp(unfinished);
		renameSync(unfinished, folder);
	} catch (error) {
		rmSync(unfinished, { recursive: true, force: true });
		// Another process was faster.
		if (!existsSync(folder)) throw error;
	}
	removeOld();
	return folder;
}

function sourcesFingerprint(): string {
	const hash = createHash("sha256");
	for (const file of SOURCES.flatMap(filesOf).sort())
		hash
			.update(`${file}\0`)
			.update(readFileSync(join(root, file)))
			.update("\0");
	return hash.digest("hex");
}

function filesOf(place: string): string[] {
	if (statSync(join(root, place)).isFile()) return [place];
	return readdirSync(join(root, place), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && !/\.test\.ts$|\.md$/.test(entry.name))
		.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

/** Keeps the few that were used last; one that is being built has another name. */
function removeOld(): void {
	const out = join(root, "out");
	const built = readdirSync(out)
		.filter((name) => /^app-[0-9a-f]{16}$/.test(name))
		.map((name) => ({ path: join(out, name), usedAt: statSync(join(out, name)).mtimeMs }))
		.sort((one, other) => other.usedAt - one.usedAt);
	for (const { path } of built.slice(MOST_KEPT)) rmSync(path, { recursive: true, force: true });
}

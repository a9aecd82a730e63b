import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type DataPaths, dataDirectory, dataPaths } from "../platform/data-directory.ts";

/** Where a command was called, and which data directory it is about. */
export type Place = {
	/** The folder the person is in, absolute. */
	readonly here: string;
	readonly data: DataPaths;
	readonly env: NodeJS.ProcessEnv;
};

/**
 * @param chosen what `--data-dir` names; it and OUTLIVE_DATA_DIR are relative to where the person is
 */
export function placeOf(env: NodeJS.ProcessEnv, cwd: string, chosen: string | undefined): Place {
	const here = folderOfPerson(env, cwd);
	const given = chosen ?? env.OUTLIVE_DATA_DIR;
	const directory = given ? resolve(here, given) : dataDirectory(env, process.platform);
	return { here, data: dataPaths(directory), env };
}

/**
 * npm runs a script in its package's folder and says in INIT_CWD where it was called. A program that such a script
 * starts elsewhere inherits the variable, and there its own folder counts.
 */
function folderOfPerson(env: NodeJS.ProcessEnv, cwd: string): string {
	const { INIT_CWD: called, npm_package_json: manifest } = env;
	if (!called) return cwd;
	const elsewhere = manifest !== undefined && dirname(manifest) !== cwd;
	return elsewhere ? cwd : resolve(cwd, called);
}

/** This build's version: the agent, the app and the command line are released together. */
export function ownVersion(): string {
	const manifest = join(import.meta.dirname, "..", "..", "package.json");
	return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}

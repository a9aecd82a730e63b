import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";

/**
 * Where a program is, as the PATH of `environment` has it; undefined when it has none of that name. Relative folders
 * in PATH are passed over: they would mean another program in each folder.
 */
export async function findExecutable(name: string, environment: Environment): Promise<string | undefined> {
	for (const folder of (environment.PATH ?? "").split(delimiter)) {
		if (!isAbsolute(folder)) continue;
		const candidate = join(folder, name);
		if (await isExecutable(candidate)) return candidate;
	}
	return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
	try {
		await access(path, constants.X_OK);
		return (await stat(path)).isFile();
	} catch {
		// Missing, not ours to run, or gone in between: not a program we could start.
		return false;
	}
}

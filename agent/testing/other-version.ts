import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ENTRY = fileURLToPath(new URL("../main.ts", import.meta.url));

/**
 * Writes a program that runs the sources' agent as if it were of another version, and returns its path.
 *
 * @param folder where the program is put
 */
export function agentOfVersion(version: string, folder: string): string {
	const program = join(folder, `agent-${version}.mjs`);
	writeFileSync(
		program,
		`import { registerHooks } from "node:module";
		registerHooks({
			load(url, context, next) {
				const loaded = next(url, context);
				if (!url.endsWith("/agent/version.ts")) return loaded;
				return { ...loaded, source: 'export const VERSION = ${JSON.stringify(version)};' };
			},
		});
		await import(${JSON.stringify(ENTRY)});`,
	);
	return program;
}

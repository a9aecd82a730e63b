import { accessSync, constants, readFileSync, renameSync, writeFileSync } from "node:fs";

/**
 * Notes how the app that runs on this data directory is started, so that the command line can bring a session up in it.
 *
 * @param command a binary and its arguments, absolute
 */
export function rememberApp(path: string, command: readonly string[]): void {
	const temporary = `${path}.new`;
	writeFileSync(temporary, `${JSON.stringify({ command })}\n`, { mode: 0o600 });
	renameSync(temporary, path);
}

/** How the app that ran last on this data directory is started; undefined when none did, or its binary has gone. */
export function rememberedApp(path: string): readonly [binary: string, ...args: string[]] | undefined {
	try {
		const { command } = JSON.parse(readFileSync(path, "utf8")) as { command?: unknown };
		if (!Array.isArray(command) || !command.every((part) => typeof part === "string")) return undefined;
		const [binary, ...args] = command;
		if (binary === undefined) return undefined;
		accessSync(binary, constants.X_OK);
		return [binary, ...args];
	} catch {
		// No app has run here, or it was moved or removed since.
		return undefined;
	}
}

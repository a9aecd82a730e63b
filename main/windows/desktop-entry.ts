import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

/** Where Linux desktops look for what starts at login (the XDG autostart specification). */
export function autostartFile(env: NodeJS.ProcessEnv, home: string): string {
	const config = env.XDG_CONFIG_HOME;
	const folder = config && isAbsolute(config) ? config : join(home, ".config");
	return join(folder, "autostart", "outlive.desktop");
}

export function startsAtLogin(file: string): boolean {
	return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

/**
 * Makes or removes the entry.
 *
 * @param command the binary and its arguments, absolute
 */
export function setStartsAtLogin(file: string, value: boolean, command: readonly string[]): void {
	if (!value) {
		rmSync(file, { force: true });
		return;
	}
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(
		file,
		[
			"[Desktop Entry]",
			"Type=Application",
			"Name=Outlive",
			`Exec=${command.map(quoted).join(" ")}`,
			"X-GNOME-Autostart-enabled=true",
			"",
		].join("\n"),
	);
}

/** As the desktop entry specification wants an argument: in double quotes, with what is special in them escaped. */
function quoted(argument: string): string {
	return `"${argument.replace(/(["`$\\])/g, "\\$1").replaceAll("%", "%%")}"`;
}

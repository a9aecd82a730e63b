import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { TestContext } from "node:test";
import type { TestPlace } from "./place.ts";
import { type Environment, environmentOf, OUTLIVE } from "./run-outlive.ts";
import { createScreen } from "./screen.ts";

const DEADLINE_MS = 30_000;

/** Why there are no terminals for tests here; undefined where there are. */
export function noTerminals(): string | undefined {
	const { stdout } = spawnSync("script", ["--version"], { encoding: "utf8" });
	return stdout?.includes("util-linux")
		? undefined
		: "util-linux's `script`, which makes terminals, is not here";
}

export type Terminal = {
	type(text: string): void;
	/** What it shows. */
	rows(): string[];
	/** All that it was sent. */
	sent(): string;
	cursor(): { row: number; column: number };
	/** Waits until its rows are so; fails loudly, with what it shows, when they aren't in time. */
	shows(what: string, holds: (rows: string[]) => boolean): Promise<void>;
	/** Waits for the end of the program, and returns its exit code. */
	ended(): Promise<number | null>;
};

/** Runs `outlive` on a terminal of so many columns, by default one without colours. */
export function openTerminal(
	test: TestContext,
	place: TestPlace,
	args: readonly string[],
	columns: number,
	env: Environment = { NO_COLOR: "1" },
): Terminal {
	const command = [`stty cols ${columns} rows 30;`, "exec", process.execPath, OUTLIVE, ...args].join(" ");
	const child: ChildProcess = spawn("script", ["-qfec", command, "/dev/null"], {
		cwd: place.project,
		env: environmentOf(place, { TERM: "xterm-256color", ...env }),
		stdio: ["pipe", "pipe", "inherit"],
	});
	const closed = once(child, "close");
	const screen = createScreen(columns);
	let sent = "";
	const looks = new Set<() => void>();
	child.stdout!.setEncoding("utf8").on("data", (text: string) => {
		sent += text;
		screen.write(text);
		for (const look of [...looks]) look();
	});
	test.after(async () => {
		if (child.exitCode !== null || child.signalCode !== null) return;
		child.kill("SIGKILL");
		await closed;
	});
	return {
		type: (text) => void child.stdin!.write(text),
		rows: screen.rows,
		sent: () => sent,
		cursor: screen.cursor,
		shows(what, holds) {
			return new Promise((resolve, reject) => {
				const settle = (act: () => void) => {
					looks.delete(look);
					clearTimeout(deadline);
					act();
				};
				const look = () => {
					if (holds(screen.rows())) settle(resolve);
				};
				const deadline = setTimeout(
					() => settle(() => reject(new Error(`${what} is not shown, but:\n${screen.rows().join("\n")}`))),
					DEADLINE_MS,
				);
				looks.add(look);
				look();
			});
		},
		async ended() {
			const [code] = (await closed) as [number | null];
			return code;
		},
	};
}

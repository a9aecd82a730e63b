import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { keepProcesses } from "../../../../build/test/keep-processes.mjs";
import { commandIntent } from "../command-intent.ts";
import type {
	CommandEnd,
	CommandRun,
	DurableCommands,
	FollowOptions,
	OutputWindow,
} from "../durable-commands.ts";
import { createNodeCommands, type NodeCommandsOptions } from "./node-commands.ts";

export type Workshop = {
	readonly commands: DurableCommands;
	/** Where commands run. */
	readonly project: string;
	/** Folder of runs. */
	readonly runs: string;
	/** Other commands on the same folder, as a process that comes later would have them. */
	again(): DurableCommands;
	newRun(): CommandRun;
	start(command: string): Promise<CommandRun>;
	run(command: string, options?: FollowOptions): Promise<CommandEnd>;
};

let workshops = 0;

/** Real commands in folders of their own. Afterwards nothing of them is alive and nothing is left on the disk. */
export function workshop(t: TestContext, options: Partial<NodeCommandsOptions> = {}): Workshop {
	keepProcesses();
	const base = mkdtempSync(join(tmpdir(), "outlive-commands-"));
	const project = join(base, "project");
	const runs = options.directory ?? join(base, "runs");
	mkdirSync(project);
	mkdirSync(runs, { recursive: true });
	const number = ++workshops;
	const used: CommandRun[] = [];
	const again = () => createNodeCommands({ killAfterMs: 500, ...options, directory: runs });
	const commands = again();

	t.after(async () => {
		try {
			for (const run of used) {
				await commands.stop(run, { since: 0 }, BACKGROUND_CONTEXT);
				assert.deepEqual(await commands.members(run, BACKGROUND_CONTEXT), []);
			}
		} finally {
			rmSync(base, { recursive: true, force: true });
		}
	});

	function newRun(): CommandRun {
		const run = { name: `${number}-${used.length + 1}`, intent: commandIntent() };
		used.push(run);
		return run;
	}
	async function start(command: string): Promise<CommandRun> {
		const run = newRun();
		await commands.start(run, { command, cwd: project }, BACKGROUND_CONTEXT);
		return run;
	}
	return {
		commands,
		project,
		runs,
		again,
		newRun,
		start,
		run: async (command, followOptions = {}) =>
			commands.follow(await start(command), followOptions, BACKGROUND_CONTEXT),
	};
}

export function textOf(output: OutputWindow): string {
	return Buffer.concat([output.head, output.tail]).toString("utf8");
}

/** The end of a command that recorded its exit. */
export function exitOf(end: CommandEnd): Extract<CommandEnd, { kind: "exited" }> {
	assert.equal(end.kind, "exited");
	return end as Extract<CommandEnd, { kind: "exited" }>;
}

/** The text of a file, or undefined while there is none. */
export function contentOf(path: string): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return undefined;
	}
}

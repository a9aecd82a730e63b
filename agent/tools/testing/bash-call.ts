import assert from "node:assert/strict";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Context } from "@earendil-works/chord";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { keepProcesses } from "../../../build/test/keep-processes.mjs";
import type { CommandIntent, CommandRun, DurableCommands } from "../../durable/env/durable-commands.ts";
import { NodeExecutionEnv } from "../../durable/env/node-env.ts";
import { createNodeCommands, type NodeCommandsOptions } from "../../durable/env/runner/node-commands.ts";
import type { TaskId } from "../../durable/types/ids.ts";
import type { JsonValue } from "../../durable/types/json.ts";
import type { ToolDiagnostic, ToolExecutionResult } from "../../durable/types/tools.ts";
import type { BashApi } from "../bash/attempts.ts";
import { bashTool } from "../bash/bash.ts";
import type { BashDetails } from "../bash/details.ts";

/** What a store would keep of one call. */
type Stored = { intent: JsonValue; memos: Record<string, JsonValue> };

export type BashCall = {
	readonly api: BashApi;
	readonly stored: () => Stored;
	/** What watchers saw, oldest first. */
	readonly views: string[];
	readonly details: BashDetails[];
	readonly output: () => string;
};

/**
 * One call of `bash` whose intent and memos are kept in a file, so that it can be taken up again by another object or
 * another process, as by a harness on its store.
 */
export function openBashCall(file: string, env: NodeExecutionEnv, taskId = 1): BashCall {
	const views: string[] = [];
	const details: BashDetails[] = [];
	let output = "";
	const stored = (): Stored => JSON.parse(readFileSync(file, "utf8"));
	const store = (value: Stored) => {
		writeFileSync(`${file}.new`, JSON.stringify(value));
		renameSync(`${file}.new`, file);
	};
	if (!existsSync(file)) store({ intent: bashTool.intent!({ command: "" }), memos: {} });
	const api = {
		taskId: taskId as TaskId,
		env,
		intent: stored().intent,
		async memo(name: string, candidateOrContext: unknown, context?: Context): Promise<unknown> {
			const now = stored();
			if (context !== undefined && !(name in now.memos)) {
				now.memos[name] = candidateOrContext as JsonValue;
				store(now);
			}
			return now.memos[name];
		},
		async flush() {},
		show: (view: string) => void views.push(view),
		output: (chunk: string) => {
			output += chunk;
		},
		details: async (value: BashDetails) => void details.push(value),
		diagnostic(_diagnostic: ToolDiagnostic) {},
	};
	return { api: api as unknown as BashApi, stored, views, details, output: () => output };
}

export type BashPlace = {
	readonly project: string;
	readonly runs: string;
	readonly env: NodeExecutionEnv;
	readonly commands: DurableCommands;
	/** A new call, or with a name the one of that name again. */
	open(name?: string): BashCall & { readonly name: string; readonly file: string };
	/** A run that a harness started here: ended afterwards too. */
	endAfterwards(run: CommandRun): void;
	run(command: string, more?: { readonly timeout?: number }): Promise<ToolExecutionResult<BashDetails>>;
};

/** Real commands in folders of their own; afterwards nothing of any call is alive or left. */
export function bashPlace(t: TestContext, options: Partial<NodeCommandsOptions> = {}): BashPlace {
	keepProcesses();
	const base = realpathSync(mkdtempSync(join(tmpdir(), "outlive-bash-")));
	const project = join(base, "project");
	const runs = join(base, "runs");
	mkdirSync(project);
	const commands = createNodeCommands({ killAfterMs: 500, ...options, directory: runs });
	const env = new NodeExecutionEnv({ cwd: project, commands });
	const calls = new Map<string, BashCall>();
	const others: CommandRun[] = [];

	t.after(async () => {
		try {
			for (const call of calls.values()) await endAll(call, commands);
			for (const run of others) await end(run, commands);
		} finally {
			rmSync(base, { recursive: true, force: true });
		}
	});

	const place: BashPlace = {
		project,
		runs,
		env,
		commands,
		open(name = `call-${calls.size + 1}`) {
			const file = join(base, name);
			const number = [...calls.keys()].indexOf(name) + 1 || calls.size + 1;
			const call = openBashCall(file, env, number);
			calls.set(name, call);
			return { ...call, name, file };
		},
		endAfterwards: (run) => void others.push(run),
		run: (command, more = {}) => bashTool.execute({ command, ...more }, place.open().api, BACKGROUND_CONTEXT),
	};
	return place;
}

async function endAll({ api, stored }: BashCall, commands: DurableCommands): Promise<void> {
	const { intent, memos } = stored();
	const later = Object.keys(memos).filter((name) => name.startsWith("bash:attempt:"));
	const attempts: [string, JsonValue][] = [
		["1", intent],
		...later.map((name): [string, JsonValue] => [name.slice("bash:attempt:".length), memos[name]!]),
	];
	for (const [number, value] of attempts) {
		await end({ name: `${api.taskId}-${number}`, intent: value as unknown as CommandIntent }, commands);
	}
}

async function end(run: CommandRun, commands: DurableCommands): Promise<void> {
	await commands.stop(run, { since: 0 }, BACKGROUND_CONTEXT);
	assert.deepEqual(await commands.members(run, BACKGROUND_CONTEXT), []);
}

export function textOfResult({ content = [] }: ToolExecutionResult): string {
	return content.map((block) => (block.type === "text" ? block.text : `<${block.type}>`)).join("\n");
}

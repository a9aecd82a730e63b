/**
 * A program that a test kills: it opens a store, takes up what is left in it, does the rest of its scripted work and
 * exits with 0. `OUTLIVE_CRASH_AT` says where it ends itself. Arguments: the folder of its files, and the scenario.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { createRegistry, defineExtension, Harness } from "../../index.ts";
import { openNodeSqliteStorage } from "../../storage/sqlite/node.ts";
import { answerModels, createTools, ENDLESS, LONG_MESSAGES, MESSAGES, MODEL } from "./messages.ts";
import type { Scenario } from "./run-program.ts";
import { startSurvey, surveyTasks } from "./survey.ts";

const [folder, scenario] = process.argv.slice(2) as [string, Scenario];
const note = (file: string, line: string) => appendFileSync(join(folder, file), `${line}\n`);

// The harness's own timers keep no process alive.
const alive = setInterval(() => {}, 60_000);
const held = Promise.withResolvers<void>();
const registry = createRegistry();
const tools = createTools(note, held.resolve);
registry.install(defineExtension({ name: "program", tools, tasks: surveyTasks }));
const settings = {
	progress: { partialIntervalMs: 0, outputIntervalMs: 0 },
	// The faux model's window holds 128,000 tokens.
	...(scenario === "compaction"
		? { compaction: { keepRecentTokens: 20, reserveTokens: 127_930, backgroundTokens: 0 } }
		: {}),
};
const onReport = (error: unknown) => console.error(error);
const storage = await openNodeSqliteStorage(join(folder, "store.sqlite"));
const harness = await Harness.open(
	storage,
	{ models: answerModels(), registry, settings, onReport },
	context,
);
const root = await harness.root(context, { agent: { model: MODEL } });
harness.resume();

async function say(messages: readonly string[]): Promise<void> {
	for (const content of messages) {
		const submission = await root.submit({ type: "input", content, requestId: content }, context);
		await submission.wait(context);
	}
}

/** Compacts by hand, unless an earlier process began to. */
async function compactOnce(): Promise<void> {
	const { items } = await harness.tasks({}, 100, undefined, context);
	const known = items.find(({ input }) => (input as { reason?: string } | null)?.reason === "manual");
	await harness.waitForTask(known?.id ?? (await root.compact(undefined, context)), context);
}

if (scenario === "messages") await say(MESSAGES);
else if (scenario === "compaction") {
	await say(LONG_MESSAGES);
	await compactOnce();
} else if (scenario === "stop") {
	const submission = await root.submit({ type: "input", content: ENDLESS, requestId: ENDLESS }, context);
	await Promise.race([held.promise, submission.wait(context)]);
	await root.abort(context);
} else {
	await harness.waitForTask(await startSurvey(root), context);
}
await harness.waitForIdle(context);
await harness.close(context);
clearInterval(alive);

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { AssistantMessage } from "@earendil-works/pi-ai";
import Database from "better-sqlite3";
import { LiveDoc } from "./harness/built-in-documents.ts";
import { CompactionEntry } from "./harness/built-in-entries.ts";
import { createRegistry } from "./harness/create-registry.ts";
import { Harness } from "./harness/harness.ts";
import { openNodeSqliteStorage } from "./storage/sqlite/node.ts";
import { answerModels, LONG_MESSAGES, MESSAGES } from "./testing/crash/messages.ts";
import { runProgram, type Scenario } from "./testing/crash/run-program.ts";
import { context } from "./testing/open-harness.ts";
import { createSeededRandom } from "./testing/seeded-random.ts";
import { resultsIn } from "./testing/tool-calls.ts";
import type { EntryRecord } from "./types/entries.ts";

/** Every named point a run of messages passes. */
const POINTS = [
	"commit:before",
	"commit:after",
	"task:reserved",
	"generation:request",
	"generation:partial",
	"generation:answer",
	"tool:intent:before",
	"tool:intent:after",
	"tool:executed",
	"tool:result",
] as const;
/** Every named point that a compaction passes, whether a run waits for it or a person started it. */
const COMPACTION_POINTS = [
	"commit:before",
	"commit:after",
	"task:reserved",
	"compaction:request",
	"compaction:summary",
] as const;
/** How many programs run side by side. */
const AT_ONCE = 2;

let home: string;
before(async () => {
	home = await mkdtemp(join(tmpdir(), "outlive-crash-"));
	await mkdir(join(home, "cache"));
});
after(() => rm(home, { recursive: true, force: true }));

/**
 * Kills a program at the n-th pass of a point, for each n there is, and lets the next one finish; then checks what is
 * left behind. Returns how often a program was killed.
 */
async function killAtEveryPass(
	scenario: Scenario,
	point: string,
	check: (folder: string, which: string) => Promise<void>,
): Promise<number> {
	let next = 1;
	let kills = 0;
	let ended = false;
	async function work(): Promise<void> {
		while (!ended) {
			const which = `${point}:${next++}`;
			const folder = await mkdtemp(join(home, "run-"));
			const first = await runProgram(folder, scenario, join(home, "cache"), which);
			if (!first.killed) {
				assert.equal(first.code, 0, `${which}: ${first.errors}`);
				ended = true;
			} else {
				kills++;
				const second = await runProgram(folder, scenario, join(home, "cache"));
				assert.deepEqual([second.killed, second.code], [false, 0], `after ${which}: ${second.errors}`);
			}
			await check(folder, which);
			await rm(folder, { recursive: true });
		}
	}
	await Promise.all(Array.from({ length: AT_ONCE }, work));
	return kills;
}

type Left = { readonly entries: readonly EntryRecord[]; readonly live: unknown; readonly unsettled: number };

async function readStore(folder: string): Promise<Left> {
	const file = join(folder, "store.sqlite");
	const database = new Database(file, { readonly: true });
	assert.equal(database.pragma("integrity_check", { simple: true }), "ok");
	database.close();
	const options = { models: answerModels(), registry: createRegistry() };
	const harness = await Harness.open(await openNodeSqliteStorage(file), options, context);
	const root = await harness.root(context);
	const { items } = await root.entries({ order: "ascending" }, 500, undefined, context);
	const { tasks, submissions } = await harness.inspect(context);
	const live = await harness.snapshot(LiveDoc, root.id, context);
	await harness.close(context);
	return { entries: items, live, unsettled: tasks.length + submissions.length };
}

async function linesOf(folder: string, name: string): Promise<string[]> {
	const text = await readFile(join(folder, name), "utf8").catch(() => "");
	return text.split("\n").filter((line) => line !== "");
}

async function checkMessages(folder: string, which: string): Promise<void> {
	const { entries, live, unsettled } = await readStore(folder);
	assert.deepEqual([live, unsettled], [{}, 0], `${which}: nothing is left undone`);
	const said = entries
		.filter(({ kind }) => kind === "pi.user")
		.map(({ model }) => (model![0] as { content: string }).content);
	assert.deepEqual(said, MESSAGES, `${which}: every message once, in order`);

	const assistants = entries
		.filter(({ kind }) => kind === "pi.assistant")
		.map(({ model }) => model![0] as AssistantMessage);
	const counted = assistants.filter(({ stopReason }) => stopReason !== "aborted");
	assert.deepEqual(
		counted.map(({ stopReason }) => stopReason),
		["toolUse", "stop", "stop"],
		`${which}: every answer once`,
	);
	const calls = counted.flatMap(({ content }) =>
		content.flatMap((part) => (part.type === "toolCall" ? part.id : [])),
	);
	const results = resultsIn(entries.flatMap(({ model }) => model ?? []));
	assert.deepEqual(
		results.map(({ toolCallId }) => toolCallId).sort(),
		calls.sort(),
		`${which}: every call exactly one result`,
	);
	const marks = await linesOf(folder, "mark.log");
	assert.ok(marks.length <= 1, `${which}: an unsafe tool ran ${marks.length} times`);
	const mark = results.find(({ toolName }) => toolName === "mark")!;
	if (mark.isError) assert.match(JSON.stringify(mark.content), /was interrupted/, which);
	else assert.equal(marks.length, 1, which);
	assert.equal(results.find(({ toolName }) => toolName === "look")!.isError, false, which);
}

/** Stopped once its call ran; or, when that was cut off, answered with what the model made of the interruption. */
async function checkStop(folder: string, which: string): Promise<void> {
	const { entries, live, unsettled } = await readStore(folder);
	assert.deepEqual([live, unsettled], [{}, 0], `${which}: nothing is left undone`);
	const results = resultsIn(entries.flatMap(({ model }) => model ?? []));
	assert.deepEqual(
		results.map(({ toolCallId, isError }) => [toolCallId, isError]),
		[["hold", true]],
		`${which}: the call has one result`,
	);
	assert.match(JSON.stringify(results[0]!.content), /was stopped|was interrupted/, which);
	assert.ok((await linesOf(folder, "hold.log")).length <= 1, `${which}: it ran once at most`);
}

async function checkSurvey(folder: string, which: string): Promise<void> {
	const { entries, unsettled } = await readStore(folder);
	assert.equal(unsettled, 0, which);
	const dataOf = (kind: string) => entries.filter((entry) => entry.kind === kind).map(({ data }) => data);
	assert.deepEqual(dataOf("test.probe").sort(), ["east", "north", "south"], `${which}: every probe once`);
	assert.deepEqual(dataOf("test.report"), ["north,east,south"], `${which}: one report`);
}

async function checkCompaction(folder: string, which: string): Promise<void> {
	const { entries, live, unsettled } = await readStore(folder);
	assert.deepEqual([live, unsettled], [{}, 0], `${which}: nothing is left undone`);
	const messages = entries.flatMap(({ model }) => model ?? []);
	const said = messages.flatMap(({ role, content }) => (role === "user" ? [content] : []));
	assert.deepEqual(
		said.filter((content) => typeof content === "string"),
		LONG_MESSAGES,
		`${which}: every message once, in order, and none is deleted`,
	);
	const answers = messages.filter((message) => message.role === "assistant" && message.stopReason === "stop");
	assert.equal(answers.length, LONG_MESSAGES.length, `${which}: every answer once`);
	const summaries = entries.filter((entry) => CompactionEntry.is(entry));
	assert.deepEqual(
		summaries.map(({ data }) => data),
		[{ reason: "threshold" }, { reason: "manual" }],
		`${which}: every summary once`,
	);
	for (const { model } of summaries) assert.match(JSON.stringify(model), /a summary of what was said/, which);
	assert.ok(summaries[0]!.head! < summaries[1]!.head!, `${which}: the second one cuts further`);
}

describe("killed at any named point, a run goes on in the next process as if nothing had happened", () => {
	for (const point of POINTS)
		test(point, async () => {
			const kills = await killAtEveryPass("messages", point, checkMessages);
			assert.ok(kills > 0, "the point was passed");
		});
});

describe("killed at any named point, a compaction goes on in the next process as if nothing had happened", () => {
	for (const point of COMPACTION_POINTS)
		test(point, async () => {
			const kills = await killAtEveryPass("compaction", point, checkCompaction);
			assert.ok(kills >= 2, "the point was passed");
		});
});

test("a run that is stopped stays stopped, wherever the process is killed meanwhile", async () => {
	for (const point of ["commit:before", "commit:after", "tool:intent:after"])
		assert.ok((await killAtEveryPass("stop", point, checkStop)) > 0, point);
});

test("a third kind of task, with phases, children and a timer, recovers wherever it is killed", async () => {
	for (const point of ["commit:before", "commit:after", "task:reserved"])
		assert.ok((await killAtEveryPass("survey", point, checkSurvey)) >= 5, point);
});

test("a process that is killed while it recovers leaves no less behind", async () => {
	const random = createSeededRandom(20);
	for (let chain = 0; chain < 12; chain++) {
		const folder = await mkdtemp(join(home, "chain-"));
		const kills = Array.from(
			{ length: 2 },
			() => `commit:${random.pick(["before", "after"])}:${1 + random.below(9)}`,
		);
		const which = `chain ${chain}: ${kills.join(", then ")}`;
		for (const kill of kills) await runProgram(folder, "messages", join(home, "cache"), kill);
		const last = await runProgram(folder, "messages", join(home, "cache"));
		assert.deepEqual([last.killed, last.code], [false, 0], `${which}: ${last.errors}`);
		await checkMessages(folder, which);
	}
});

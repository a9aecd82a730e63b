import assert from "node:assert/strict";
import { test } from "node:test";
import { AVAILABLE_METHODS } from "../../agent/protocol/index.ts";
import { MODELS } from "../testing/scene.ts";
import {
	type CommandParts,
	type CommandSession,
	newSessionCommands,
	sessionCommands,
} from "./session-commands.ts";

const SESSION: CommandSession = {
	id: "s",
	model: "claude-code/sonnet",
	archived: false,
	isBusy: true,
	newest: "e9",
};

function setUp(
	methods: readonly string[] = [...AVAILABLE_METHODS, "session.compact", "session.reset", "session.fork"],
) {
	const done: unknown[] = [];
	const answers: Record<string, unknown> = {};
	const parts: CommandParts = {
		app: {
			// biome-ignore lint/suspicious/noExplicitAny: stands for every method at once
			ask: async (method: string, params: any) => {
				const { requestId: _, ...rest } = params;
				done.push([method, rest]);
				return (method in answers ? answers[method] : { session: "other" }) as never;
			},
			open: (session) => void done.push(["open", session]),
			say: (text) => void done.push(["say", text]),
			models: {
				list: MODELS,
				isLoading: false,
				refresh: async () => {},
				find: (id) => MODELS.models.find((model) => model.id === id),
			},
			connection: { can: (method) => methods.includes(method) },
		},
		chooseModel: () => void done.push("choose model"),
		search: (query) => void done.push(["search", query]),
		newSession: () => void done.push("new session"),
	};
	return { parts, done, answers };
}

const names = (commands: readonly { name: string }[]) => commands.map(({ name }) => name);

test("a command is there exactly when its method is, and when it means something", () => {
	assert.deepEqual(names(sessionCommands(SESSION, setUp().parts)), [
		"stop",
		"compact",
		"reset",
		"fork",
		"model",
		"thinking",
		"rename",
		"archive",
		"search",
		"new",
	]);
	const few = setUp(["session.configure", "sessions.create"]).parts;
	assert.deepEqual(names(sessionCommands(SESSION, few)), ["model", "thinking", "rename", "archive", "new"]);
	const idle = { ...SESSION, isBusy: false, newest: undefined, model: "script/script-1" };
	assert.deepEqual(names(sessionCommands(idle, setUp().parts)), [
		"reset",
		"model",
		"rename",
		"archive",
		"search",
		"new",
	]);
	assert.deepEqual(names(newSessionCommands(setUp().parts, () => {})), ["model", "search", "new"]);
});

test("each command calls its method with what was typed behind it", async () => {
	const { parts, done } = setUp();
	const run = async (name: string, argument = "") =>
		sessionCommands(SESSION, parts)
			.find((command) => command.name === name)!
			.run(argument);
	assert.ok(await run("stop"));
	assert.ok(await run("compact"));
	assert.ok(await run("compact", "keep the names"));
	assert.ok(await run("reset", "start over"));
	assert.ok(await run("fork"));
	assert.ok(await run("model", "Sonnet"));
	assert.ok(await run("model"));
	assert.ok(await run("thinking", "high"));
	assert.ok(await run("rename", "Another"));
	assert.ok(await run("archive"));
	assert.ok(await run("search", "cookie"));
	assert.ok(await run("new"));
	assert.deepEqual(done, [
		["session.stop", { session: "s" }],
		["session.compact", { session: "s" }],
		["session.compact", { session: "s", instructions: "keep the names" }],
		["session.reset", { session: "s", note: "start over" }],
		["session.fork", { session: "s", at: "e9" }],
		["open", "other"],
		["session.configure", { session: "s", model: "claude-code/sonnet" }],
		"choose model",
		["session.configure", { session: "s", thinkingLevel: "high" }],
		["session.configure", { session: "s", title: "Another" }],
		["session.configure", { session: "s", archived: true }],
		["search", "cookie"],
		"new session",
	]);
});

test("a command that was refused, or that can't be meant, says so and is not done", async () => {
	const { parts, done, answers } = setUp();
	const run = async (name: string, argument = "") =>
		sessionCommands(SESSION, parts)
			.find((command) => command.name === name)!
			.run(argument);
	answers["session.compact"] = undefined;
	assert.equal(await run("compact", "x"), false);
	answers["session.compact"] = { outcome: "nothing_to_compact", entry: null };
	assert.equal(await run("compact"), true);
	assert.equal(await run("thinking", "hard"), false);
	assert.equal(await run("rename"), false);
	assert.deepEqual(
		done.filter((each) => (each as string[])[0] === "say").map((each) => (each as string[])[1]),
		[
			"There is nothing to summarise yet.",
			"This model thinks at one of these levels: off, low, medium, high.",
			"Write the new title behind /rename.",
		],
	);
});

import assert from "node:assert/strict";
import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
	type ErrorCode,
	type JsonObject,
	type PendingRequest,
	protocolError,
	type SessionSummary,
} from "../../protocol/index.ts";
import { makePlace, type TestPlace } from "../testing/place.ts";
import { outlive, startOutlive } from "../testing/run-outlive.ts";
import { type Handler, startTestAgent } from "../testing/test-agent.ts";
import { assistant, bash, result, summary, user, view } from "../testing/views.ts";

/** The list of sessions in pages of two, as the agent answers it. */
function listOf(sessions: readonly SessionSummary[]): Handler {
	return ({ idPrefix, archived, cursor }) => {
		const found = sessions.filter(
			(each) => (archived === true || !each.archived) && each.id.startsWith(String(idPrefix ?? "")),
		);
		const from = Number(cursor ?? 0);
		const next = from + 2 < found.length ? String(from + 2) : null;
		return { sessions: found.slice(from, from + 2), cursor: next, total: found.length };
	};
}

const ONE = { "sessions.list": listOf([summary()]) };

/** Runs with `--json` and returns what was printed, which must be one value on one line. */
async function json(
	context: Parameters<typeof outlive>[0],
	place: TestPlace,
	args: readonly string[],
	options = {},
) {
	const { code, stdout, stderr } = await outlive(context, place, [...args, "--json"], options);
	assert.match(stdout, /^[^\n]+\n$/, stderr);
	return { code, value: JSON.parse(stdout), stderr };
}

test("status says what scripts rely on", async (context) => {
	const place = makePlace(context);
	const health = {
		ok: true,
		disk: { freeBytes: 1e11, state: "ok" },
		database: { bytes: 5_000_000, state: "ok", checkedAt: 1 },
		lastBackupAt: null,
		problems: [{ code: "x", message: "Something is odd.", fix: "Look at it.", at: 1 }],
	};
	const info = {
		version: "0.1.0",
		protocol: 1,
		pid: 4711,
		startedAt: 1_700_000_000_000,
		uptimeMs: 65_000,
		dataDirectory: place.data,
		socket: join(place.data, "agent.sock"),
		rss: 98_000_000,
		sessions: { total: 12, running: 2, waiting: 1, needsYou: 0 },
		health,
	};
	await startTestAgent(context, place, { handlers: { "agent.info": () => info } });
	const { code, value } = await json(context, place, ["status"]);
	assert.equal(code, 0);
	assert.deepEqual(value, {
		running: true,
		pid: 4711,
		version: "0.1.0",
		protocol: 1,
		startedAt: 1_700_000_000_000,
		dataDirectory: place.data,
		socket: join(place.data, "agent.sock"),
		sessions: { total: 12, running: 2 },
		rss: 98_000_000,
		health,
	});
	const plain = await outlive(context, place, ["status"]);
	assert.match(plain.stdout, /process 4711, version 0\.1\.0, for 1 min\.\nsessions +12 in all, 2 running/);
	assert.match(plain.stdout, /Something is odd\. Look at it\.\n$/);
});

test("ls lists every page, and states have their own fields", async (context) => {
	const place = makePlace(context);
	const request: PendingRequest = { id: "r1", kind: "question", text: "Which?", choices: [], at: 1 };
	const sessions = [
		summary(),
		summary({ id: "8", state: { kind: "running", since: 1 }, unread: true }),
		summary({ id: "9", state: { kind: "waiting", for: "limit", until: 99 }, model: null }),
		summary({ id: "10", state: { kind: "needs_you", request } }),
		summary({ id: "11", state: { kind: "failed", reason: "no" } }),
		summary({ id: "12", archived: true, title: "gone\u001b[2J" }),
	];
	await startTestAgent(context, place, { handlers: { "sessions.list": listOf(sessions) } });
	const { value } = await json(context, place, ["ls"]);
	const base = {
		title: "First",
		directory: "/project",
		model: "script/script-1",
		updatedAt: 2,
		unread: false,
	};
	assert.deepEqual(value, [
		{ id: "7", state: "idle", ...base },
		{ id: "8", state: "running", ...base, unread: true },
		{ id: "9", state: "waiting", until: 99, ...base, model: null },
		{ id: "10", state: "needs_you", request, ...base },
		{ id: "11", state: "failed", ...base },
	]);
	const all = await json(context, place, ["ls", "--all"]);
	assert.equal(all.value.length, 6);
	assert.equal(all.value[5].archived, true);
	const plain = await outlive(context, place, ["ls", "--all"]);
	assert.match(plain.stdout, /^SESSION {2}STATE/);
	assert.match(plain.stdout, /^10 +needs you +First/m);
	assert.match(plain.stdout, /^12 +idle, archived +gone +/m);
	assert.equal(plain.stdout.includes("\u001b"), false);
});

test("an empty list is an empty list, and for people a word on standard error", async (context) => {
	const place = makePlace(context);
	await startTestAgent(context, place, { handlers: { "sessions.list": listOf([]) } });
	assert.deepEqual((await json(context, place, ["ls"])).value, []);
	const plain = await outlive(context, place, ["ls"]);
	assert.equal(plain.stdout, "");
	assert.match(plain.stderr, /no sessions yet/);
});

test("show says what scripts rely on, with long texts whole", async (context) => {
	const place = makePlace(context);
	const long = "x".repeat(100);
	const entries = [
		user("1", "go", "s1"),
		assistant("2", "", { toolCalls: [bash("c1", "make")], stopReason: "toolUse" }),
		result("3", "c1", "cut off", { isError: true, interrupted: true }),
		assistant("4", "xxx", { cut: { shown: 3, total: 100 } }),
	];
	const now = view({
		entries,
		hasOlder: true,
		live: {
			partial: { text: "so far" },
			retry: { attempt: 1, max: 3, at: 5, error: "lost" },
			tools: [{ callId: "c2", name: "bash", status: "running", output: "one\n", runner: 77 }],
		},
		inbox: [{ submission: "s2", text: "then", mode: "followUp" }],
	});
	await startTestAgent(context, place, {
		handlers: {
			...ONE,
			"session.watch": () => now,
			"session.entries": ({ around, before }) => {
				if (before !== undefined) return { entries: [user("0", "before")], hasOlder: false, hasNewer: true };
				const found = entries.find(({ id }) => id === around)!;
				return { entries: [{ ...found, text: long, cut: undefined }], hasOlder: true, hasNewer: true };
			},
		},
	});
	const { value } = await json(context, place, ["show", "7"]);
	assert.deepEqual(value, {
		session: "7",
		entries: [
			{ id: "1", kind: "pi.user", role: "user", text: "go", at: 10 },
			{
				id: "2",
				kind: "pi.assistant",
				role: "assistant",
				text: "",
				toolCalls: [{ id: "c1", name: "bash", arguments: { command: "make" } }],
				stopReason: "toolUse",
				at: 11,
			},
			{
				id: "3",
				kind: "pi.tool-result",
				role: "toolResult",
				text: "cut off",
				toolName: "bash",
				isError: true,
				interrupted: true,
				at: 12,
			},
			{ id: "4", kind: "pi.assistant", role: "assistant", text: long, stopReason: "stop", at: 11 },
		],
		live: {
			partial: { text: "so far" },
			retry: { attempt: 1, max: 3, at: 5 },
			tools: [{ name: "bash", output: "one\n", runner: 77 }],
		},
		inbox: [{ submission: "s2", text: "then", mode: "followUp" }],
		usage: now.usage,
	});
	const all = await json(context, place, ["show", "7", "--all"]);
	assert.deepEqual(
		all.value.entries.map(({ id }: { id: string }) => id),
		["0", "1", "2", "3", "4"],
	);
	const plain = await outlive(context, place, ["show", "7"]);
	assert.match(
		plain.stdout,
		/^-- 7: First .*\n-- there is more before this: outlive show 7 --all\n\n?> go\n\$ make\n {2}cut off\n/,
	);
	assert.ok(plain.stdout.includes(long));
});

test("new sends everything in one step, and prints the ids", async (context) => {
	const place = makePlace(context);
	const agent = await startTestAgent(context, place, {
		handlers: { "sessions.create": ({ content }) => ({ session: "7", submission: content ? "s1" : null }) },
	});
	const empty = await json(context, place, ["new"]);
	assert.deepEqual(empty.value, { session: "7", submission: null });
	const args = ["new", "sub", "do it", "--model", "a/b", "--title", "T", "--request-id", "mine"];
	const first = await json(context, place, args);
	assert.deepEqual(first.value, { session: "7", submission: "s1" });
	const plain = await outlive(context, place, ["new", "~/x", "-"], { input: "from\nstdin\n\n" });
	assert.equal(plain.stdout, "7\n");
	assert.equal(plain.stderr, "");
	const [one, two, three] = agent.requests.map(({ params }) => params) as [
		JsonObject,
		JsonObject,
		JsonObject,
	];
	assert.equal(one.directory, place.project);
	assert.match(String(one.requestId), /^[0-9a-f-]{36}$/);
	assert.deepEqual(two, {
		directory: join(place.project, "sub"),
		title: "T",
		model: "a/b",
		content: "do it",
		requestId: "mine",
	});
	assert.equal(three.directory, "~/x");
	assert.equal(three.content, "from\nstdin");
	assert.notEqual(three.requestId, one.requestId);
});

test("under npm, here is where npm was called; in a program that npm's script started elsewhere it is not", async (context) => {
	const place = makePlace(context);
	const agent = await startTestAgent(context, place, {
		handlers: { "sessions.create": () => ({ session: "7", submission: null }) },
	});
	const called = join(place.home, "called");
	mkdirSync(called);
	const manifest = join(place.project, "package.json");
	await outlive(context, place, ["new"], { env: { INIT_CWD: called, npm_package_json: manifest } });
	await outlive(context, place, ["new", "sub"], { env: { INIT_CWD: called } });
	await outlive(context, place, ["new"], {
		env: { INIT_CWD: called, npm_package_json: "/else/package.json" },
	});
	assert.deepEqual(
		agent.requests.map(({ params }) => params.directory),
		[called, join(called, "sub"), place.project],
	);
});

test("send says how to wait when busy, and refuses an empty text before anything is sent", async (context) => {
	const place = makePlace(context);
	const agent = await startTestAgent(context, place, {
		handlers: { ...ONE, "session.send": () => ({ submission: "s1", status: "queued" }) },
	});
	assert.deepEqual((await json(context, place, ["send", "7", "hi"])).value, { submission: "s1" });
	await outlive(context, place, ["send", "7", "hi", "--when-busy", "follow-up"]);
	await outlive(context, place, ["send", "7", "hi", "--when-busy", "reject"]);
	const sent = agent.requests.filter(({ method }) => method === "session.send").map(({ params }) => params);
	assert.deepEqual(
		sent.map(({ whenBusy }) => whenBusy),
		[undefined, "followUp", "reject"],
	);
	const count = agent.requests.length;
	for (const [text, input] of [
		[" ", ""],
		["-", "\n\n"],
	] as const) {
		const { code, value } = await json(context, place, ["send", "7", text], { input });
		assert.equal(code, 2);
		assert.equal(value.error.code, "wrong_usage");
	}
	assert.equal((await json(context, place, ["send", "7", "x", "--request-id", "a b"])).code, 2);
	assert.equal(agent.requests.length, count);
});

test("an error of the agent is one sentence, its code, and its exit code", async (context) => {
	const place = makePlace(context);
	let code: ErrorCode = "busy";
	await startTestAgent(context, place, {
		handlers: {
			...ONE,
			"session.send": () => {
				throw protocolError(code);
			},
		},
	});
	const expected = [
		["busy", 5],
		["model_unavailable", 5],
		["folder_not_allowed", 5],
		["storage_full", 5],
		["not_found", 4],
		["request_id_reused", 2],
		["internal", 1],
	] as const;
	for (const [name, exit] of expected) {
		code = name;
		const { code: ended, value, stderr } = await json(context, place, ["send", "7", "hi"]);
		assert.equal(ended, exit, name);
		assert.equal(value.error.code, name);
		assert.equal(stderr, `${value.error.message}\n`);
		const plain = await outlive(context, place, ["send", "7", "hi"]);
		assert.equal(plain.stdout, "");
		assert.equal(plain.stderr, stderr);
	}
});

test("--wait prints the answer; without one it ends with 1 and the reason", async (context) => {
	const place = makePlace(context);
	const ended = { submission: "s1", status: "unanswered", reason: "failed: no" } as const;
	let submissions: object[] = [{ submission: "s1", status: "done", entry: "1", answer: "2" }];
	await startTestAgent(context, place, {
		handlers: {
			...ONE,
			"sessions.create": () => ({ session: "7", submission: "s1" }),
			"session.send": () => ({ submission: "s1", status: "queued" }),
			"session.watch": () => view({ submissions: submissions as [] }),
			"session.entries": () => ({
				entries: [assistant("2", "the answer\nin full")],
				hasOlder: true,
				hasNewer: false,
			}),
		},
	});
	const sent = await json(context, place, ["send", "7", "hi", "--wait"]);
	assert.deepEqual(sent.value, { submission: "s1", status: "done", answer: "the answer\nin full" });
	const made = await json(context, place, ["new", ".", "hi", "--wait"]);
	assert.deepEqual(made.value, {
		session: "7",
		submission: "s1",
		status: "done",
		answer: "the answer\nin full",
	});
	const plain = await outlive(context, place, ["send", "7", "hi", "--wait"]);
	assert.deepEqual(plain, { code: 0, stdout: "the answer\nin full\n", stderr: "" });
	submissions = [ended];
	const none = await json(context, place, ["send", "7", "hi", "--wait"]);
	assert.equal(none.code, 1);
	assert.deepEqual(none.value, { submission: "s1", status: "unanswered", answer: "", reason: "failed: no" });
	assert.equal(none.stderr, "There is no answer (no); see: outlive show 7\n");
	const without = await json(context, place, ["new", ".", "--wait"]);
	assert.equal(without.code, 2);
});

test("a SESSION is an id, the unambiguous start of one, or @ for the latest in this folder", async (context) => {
	const place = makePlace(context);
	const linked = join(place.home, "link");
	symlinkSync(place.project, linked);
	const directory = realpathSync(place.project);
	const sessions = [
		summary({ id: "120", directory: "/elsewhere" }),
		summary({ id: "12", directory }),
		summary({ id: "77", directory }),
		summary({ id: "345", directory: "/other", archived: true }),
	];
	const agent = await startTestAgent(context, place, {
		handlers: {
			"sessions.list": listOf(sessions),
			"session.stop": ({ session }) => {
				if (!sessions.some(({ id }) => id === session)) throw protocolError("not_found");
				return { stopped: true };
			},
		},
	});
	const stop = (text: string, cwd?: string) =>
		json(context, place, ["stop", text], cwd === undefined ? {} : { cwd });
	for (const text of ["12", "7", "34", "@"]) assert.equal((await stop(text)).code, 0, text);
	await stop("@", linked);
	const stopped = agent.requests.filter(({ method }) => method === "session.stop");
	assert.deepEqual(
		stopped.map(({ params }) => params.session),
		["12", "77", "345", "12", "12"],
	);
	const ambiguous = await stop("1");
	assert.equal(ambiguous.code, 2);
	assert.match(ambiguous.stderr, /^Several sessions begin with "1": 120 \(First\), 12 \(First\); give more/);
	assert.equal((await stop("9")).code, 4);
	const nothing = await stop("@", place.home);
	assert.equal(nothing.code, 4);
	assert.equal(nothing.value.error.code, "not_found");
});

test("rename, archive and set change just what they say", async (context) => {
	const place = makePlace(context);
	const agent = await startTestAgent(context, place, {
		handlers: {
			...ONE,
			"session.configure": ({ archived, title }) => ({
				session: summary({ archived: archived === true, title: String(title ?? "First") }),
			}),
		},
	});
	const renamed = await json(context, place, ["rename", "7", "New name"]);
	assert.equal(renamed.value.title, "New name");
	await outlive(context, place, ["archive", "7"]);
	await outlive(context, place, ["archive", "7", "--undo"]);
	await outlive(context, place, [
		"set",
		"7",
		"--model",
		"a/b",
		"--thinking",
		"high",
		"--tools",
		"read, bash",
	]);
	await outlive(context, place, [
		"set",
		"7",
		"--model",
		"default",
		"--thinking",
		"default",
		"--tools",
		"default",
	]);
	const changes = agent.requests.filter(({ method }) => method === "session.configure");
	assert.deepEqual(
		changes.map(({ params: { session: _, ...change } }) => change),
		[
			{ title: "New name" },
			{ archived: true },
			{ archived: false },
			{ model: "a/b", thinkingLevel: "high", tools: ["read", "bash"] },
			{ model: null, thinkingLevel: null, tools: null },
		],
	);
	assert.equal((await outlive(context, place, ["set", "7"])).code, 2);
	assert.equal((await outlive(context, place, ["rename", "7", " "])).code, 2);
});

test("allow, projects and models print what the agent says", async (context) => {
	const place = makePlace(context);
	const projects = {
		projects: [{ directory: "/p", name: "p", lastUsedAt: 1, sessions: 1, missing: true }],
		roots: ["/data"],
	};
	const models = {
		models: [
			{
				id: "script/script-1",
				provider: "script",
				name: "Scripted",
				contextWindow: 200_000,
				maxTokens: 1,
				images: false,
				thinkingLevels: ["off"],
				price: null,
			},
		],
		providers: [
			{ id: "script", name: "Scripted", kind: "scripted", available: true },
			{
				id: "cc",
				name: "Claude Code",
				kind: "claude-code",
				available: false,
				reason: "Not here.",
				fix: "Get it.",
			},
		],
		default: "script/script-1",
		refreshing: false,
	};
	const agent = await startTestAgent(context, place, {
		handlers: {
			"projects.allow": ({ directory }) => ({ directory, added: true }),
			"projects.list": () => projects,
			"models.list": () => models,
		},
	});
	const allowed = await json(context, place, ["allow", "../else"]);
	assert.deepEqual(allowed.value, { directory: join(place.home, "else"), added: true });
	assert.equal(agent.requests[0]!.params.directory, join(place.home, "else"));
	assert.deepEqual((await json(context, place, ["projects"])).value, projects);
	assert.deepEqual((await json(context, place, ["models"])).value, models);
	const words = await outlive(context, place, ["models"]);
	assert.match(words.stdout, /^script\/script-1 {2}Scripted \(default\) {2}200k context {2}no price\n/);
	assert.match(words.stdout, /Not available now:\n {2}Claude Code: Not here\. Get it\.\n$/);
	assert.match(
		(await outlive(context, place, ["projects"])).stdout,
		/\/p \(no longer there\)\n\nSessions may run/,
	);
});

test("output comes whole and byte for byte, and says when its middle was not kept", async (context) => {
	const place = makePlace(context);
	const head = Buffer.from([0xff, 0x00, 0x0a]);
	const tail = Buffer.from("end");
	await startTestAgent(context, place, {
		handlers: {
			...ONE,
			"session.output": ({ offset }) => {
				const at = Number(offset);
				const gap = { from: 3, to: 1_000_003 };
				const rest = { total: 1_000_006, complete: true, gap };
				if (at < 3) return { base64: head.subarray(at).toString("base64"), offset: at, ...rest };
				const from = Math.max(at, gap.to);
				return { base64: tail.subarray(from - gap.to).toString("base64"), offset: from, ...rest };
			},
		},
	});
	const child = startOutlive(context, place, ["output", "7", "c1"], { input: "" });
	const chunks: Buffer[] = [];
	child.child.stdout.removeAllListeners("data");
	child.child.stdout
		.setEncoding("latin1")
		.on("data", (text: string) => chunks.push(Buffer.from(text, "latin1")));
	const { code, stderr } = await child.finished();
	assert.equal(code, 0);
	assert.deepEqual(Buffer.concat(chunks), Buffer.concat([head, tail]));
	assert.match(
		stderr,
		/1000 KB are missing after its first 3 bytes|1000000 bytes are missing|1 MB are missing/,
	);
	const { value } = await json(context, place, ["output", "7", "c1"]);
	assert.deepEqual(value, {
		session: "7",
		call: "c1",
		text: "\ufffd\u0000\nend",
		bytes: 1_000_006,
		complete: true,
		gap: { from: 3, to: 1_000_003 },
	});
});

test("when whoever reads the output goes, outlive ends quietly", async (context) => {
	const place = makePlace(context);
	const many = Array.from({ length: 3000 }, (_, at) => summary({ id: String(at), title: "t".repeat(100) }));
	await startTestAgent(context, place, {
		handlers: { "sessions.list": () => ({ sessions: many, cursor: null, total: many.length }) },
	});
	const running = startOutlive(context, place, ["ls"], { input: "" });
	running.child.stdout.destroy();
	const { code, stderr } = await running.finished();
	assert.equal(code, 0);
	assert.equal(stderr, "");
});

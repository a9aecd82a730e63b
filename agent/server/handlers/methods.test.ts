import assert from "node:assert/strict";
import { test } from "node:test";
import {
	AVAILABLE_METHODS,
	type Client,
	isAvailable,
	type JsonObject,
	METHODS,
	type MethodName,
	type PlainMethod,
} from "../../protocol/index.ts";
import { VALID } from "../../protocol/testing/valid-params.ts";
import { startAgent } from "../testing/agent.ts";

/** Codes that say that the request was understood and meets something that isn't there. */
const UNDERSTOOD = new Set(["not_found", "folder_missing", "folder_not_allowed", "model_unavailable"]);
/** Only the agent can tell a cursor of its own from another text. */
const CURSOR = /must be the cursor of the page before/;

test("every method of the table is answered, and only those that are flagged say not_yet", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.raw();
	await client.hello();
	for (const method of Object.keys(METHODS) as MethodName[]) {
		for (const params of VALID[method]) {
			const response = await client.request(method, params);
			const code = (response.error as JsonObject | undefined)?.code;
			const said = `${method} ${JSON.stringify(params)}: ${JSON.stringify(response).slice(0, 300)}`;
			if (!isAvailable(method)) assert.equal(code, "not_yet", said);
			else if (code !== undefined) assert.ok(UNDERSTOOD.has(String(code)) || CURSOR.test(said), said);
		}
	}
	assert.deepEqual(
		agent.log.filter(({ level }) => level === "error"),
		[],
	);
});

test("a session lives its life by the methods alone", async (t) => {
	let shutdown: unknown;
	const agent = await startAgent(t, {
		shutdown: (when) => {
			shutdown = when;
		},
		stopBackground: async (id, call) => id > 0 && call === "call-1",
	});
	const client = await agent.connect();
	const directory = await agent.folder("project");

	const { session, submission } = await client.request("sessions.create", {
		directory,
		title: "Life",
		content: "hang",
		requestId: "create",
	});
	assert.ok(submission !== null);
	const again = await client.request("sessions.create", {
		directory,
		title: "Life",
		content: "hang",
		requestId: "create",
	});
	assert.deepEqual(again, { session, submission });

	const queued = await client.request("session.send", { session, content: "Second", requestId: "send" });
	assert.equal(queued.status, "queued");
	const edited = await client.request("session.edit", {
		session,
		submission: queued.submission,
		content: "Better",
		whenBusy: "steer",
	});
	assert.equal(edited.status, "queued");
	const withdrawn = await client.request("session.withdraw", { session, submission: queued.submission });
	assert.deepEqual(withdrawn, { submission: queued.submission, status: "unanswered", reason: "aborted" });

	await refused(client, "busy", "session.send", {
		session,
		content: "No",
		requestId: "no",
		whenBusy: "reject",
	});
	await refused(client, "request_id_reused", "session.send", {
		session,
		content: "Other",
		requestId: "send",
	});
	await refused(client, "not_found", "session.stop", { session, run: "999" });
	assert.deepEqual(await client.request("session.stop", { session, run: submission }), { stopped: true });
	assert.deepEqual(await client.request("session.stop", { session, run: submission }), { stopped: false });
	assert.deepEqual(await client.request("session.stop", { session, call: "call-1" }), { stopped: true });
	assert.deepEqual(await client.request("session.stop", { session, call: "other" }), { stopped: false });

	const configured = await client.request("session.configure", {
		session,
		model: null,
		thinkingLevel: "low",
		tools: [],
		title: "Renamed",
	});
	assert.equal(configured.session.title, "Renamed");
	await refused(client, "model_unavailable", "session.configure", { session, model: "nobody/nothing" });
	const entries = await client.request("session.entries", { session, after: "1", limit: 500 });
	const newest = entries.entries.at(-1)!;
	assert.deepEqual(await client.request("session.seen", { session, entry: newest.id }), { unread: false });

	const list = await client.request("sessions.list", { query: "renam", project: directory });
	assert.deepEqual(
		list.sessions.map(({ id, title, model, mode, state }) => ({ id, title, model, mode, state: state.kind })),
		[{ id: session, title: "Renamed", model: "script/script-1", mode: "run_freely", state: "idle" }],
	);
	const projects = await client.request("projects.list", {});
	assert.deepEqual(
		projects.projects.map(({ directory: folder, name, sessions }) => ({ folder, name, sessions })),
		[{ folder: directory, name: "project", sessions: 1 }],
	);
	assert.equal(
		(await client.request("session.configure", { session, archived: true })).session.archived,
		true,
	);
	assert.deepEqual((await client.request("sessions.list", {})).sessions, []);
	assert.equal((await client.request("sessions.list", { archived: true })).total, 1);

	assert.deepEqual(await client.request("agent.shutdown", { when: "idle" }), { when: "idle", running: 0 });
	assert.equal(shutdown, "idle");
});

test("the list of models names who can answer, and for the others why not and what to do", async (t) => {
	const agent = await startAgent(t);
	const list = await (await agent.connect()).request("models.list", {});
	assert.equal(list.default, "script/script-1");
	assert.deepEqual(
		list.models.map(({ id }) => id),
		["script/script-1"],
	);
	const script = list.providers.find(({ id }) => id === "script");
	assert.equal(script?.available, true);
	for (const provider of list.providers)
		if (!provider.available) assert.ok(provider.reason.length > 10 && provider.fix.length > 10);
});

test("pages of the list go on where the last one ended, whatever changes between them", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.connect();
	const made: string[] = [];
	for (let i = 0; i < 7; i++) made.push(await agent.session());
	const first = await client.request("sessions.list", { limit: 3 });
	assert.equal(first.total, 7);
	await agent.session();
	const second = await client.request("sessions.list", { limit: 3, cursor: first.cursor! });
	const third = await client.request("sessions.list", { limit: 3, cursor: second.cursor! });
	assert.equal(third.cursor, null);
	const ids = [...first.sessions, ...second.sessions, ...third.sessions].map(({ id }) => id);
	assert.deepEqual(new Set(ids), new Set(made));
	assert.equal(ids.length, 7);
	await refused(client, "invalid_params", "sessions.list", { cursor: "made up" });
	const byPrefix = await client.request("sessions.list", { idPrefix: made[0]! });
	assert.ok(byPrefix.sessions.some(({ id }) => id === made[0]));
});

test("an id that no session, entry or message has is not found, whatever it looks like", async (t) => {
	const agent = await startAgent(t);
	const session = await agent.session();
	const client = await agent.connect();
	for (const id of ["0", "1", "01", "-3", "1e3", "99999999999999999999", "x", "9007199254740991", " 3"]) {
		await refused(client, "not_found", "session.send", {
			session: id,
			content: "x",
			requestId: `r-${id.trim()}`,
		});
		await refused(client, "not_found", "session.entries", { session: id, around: "1", limit: 1 });
		await refused(client, "not_found", "session.stop", { session: id });
		await refused(client, "not_found", "session.output", { session: id, call: "c", offset: 0, limit: 1 });
		await refused(client, "not_found", "session.seen", { session, entry: id === "1" ? "2" : id });
		await refused(client, "not_found", "session.withdraw", { session, submission: id });
	}
	await refused(client, "not_found", "session.output", { session, call: "none", offset: 0, limit: 1 });
	await refused(client, "not_found", "session.output", {
		session,
		call: "image:entry:4:0",
		offset: 0,
		limit: 1,
	});
});

test("what nobody foresaw is internal: the client gets an id, the log everything", async (t) => {
	const agent = await startAgent(t, {
		stopBackground: async () => {
			throw new Error("a secret of the insides");
		},
	});
	const session = await agent.session();
	const raw = await agent.raw();
	await raw.hello();
	const response = await raw.request("session.stop", { session, call: "c" });
	const error = response.error as { code: string; message: string; data: { id: string } };
	assert.equal(error.code, "internal");
	assert.ok(!JSON.stringify(error).includes("secret"));
	const [logged] = agent.log.filter(({ level }) => level === "error");
	const fields = logged!.fields as { id: string; error: Error };
	assert.equal(fields.id, error.data.id);
	assert.match(String(fields.error), /a secret of the insides/);
});

test("the welcome states every method that has a handler", () => {
	assert.ok(AVAILABLE_METHODS.includes("session.watch"));
	assert.ok(!AVAILABLE_METHODS.includes("session.rewind" as never));
});

async function refused(client: Client, code: string, method: PlainMethod, params: object): Promise<void> {
	await assert.rejects(
		client.request(method, params as never),
		(error: { code: string; message: string }) => {
			assert.equal(error.code, code, `${method} ${JSON.stringify(params)}: ${error.message}`);
			return true;
		},
	);
}

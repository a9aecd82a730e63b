import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { AgentDoc, type ConversationId, type EntryId } from "../durable/index.ts";
import { isIdle, type OpenGround, reached, saidIn, sqliteIn, withGround } from "./testing/ground.ts";
import { refused } from "./testing/refused.ts";

type WithSession = OpenGround & { readonly id: ConversationId };

/** A session named "Fix the build" that has answered. */
async function withAnswered(run: (open: WithSession) => Promise<void>): Promise<void> {
	await withGround(async (ground) => {
		const open = await ground.open({ storage: await sqliteIn(ground.home) });
		const directory = await ground.folder("app");
		const { id } = await open.sessions.create({ directory, content: "Fix the build", requestId: "create" });
		await reached(open.sessions, id, isIdle);
		await run({ ...open, id });
	});
}

async function entriesOf({ harness, id }: Pick<WithSession, "harness" | "id">) {
	const query = { conversationId: id, order: "ascending" } as const;
	return (await harness.entries(query, 500, undefined, context)).items;
}

const newest = ({ sessions }: OpenGround, id: ConversationId) => sessions.get(id)!.newestEntry!;

describe("fork", () => {
	it("makes a session in the same folder that begins with what was said, and says where it comes from", async () => {
		await withAnswered(async (open) => {
			const { sessions, harness, id } = open;
			const at = newest(open, id);
			const fork = await sessions.fork({ id, at });
			assert.equal(sessions.get(fork.id), fork, "it is in the list at once");
			const { record } = sessions.get(id)!;
			assert.deepEqual(
				{ ...fork.record, createdAt: 0 },
				{
					directory: record.directory,
					title: "Fork of Fix the build",
					titleFrom: "message",
					createdAt: 0,
					seen: at,
					forkedFrom: { session: id, entry: at },
				},
			);
			assert.equal(fork.unread, false);
			assert.deepEqual(fork.activity, { kind: "idle" });
			assert.deepEqual(fork.model, sessions.get(id)!.model);
			await sessions.send({ id: fork.id, content: "and on", requestId: "on" });
			await reached(sessions, fork.id, ({ lastRun }) => lastRun?.outcome === "answered");
			assert.deepEqual(await saidIn(harness, fork.id), ["Fix the build", "and on"]);
			assert.deepEqual(await saidIn(harness, id), ["Fix the build"]);
			const second = await sessions.fork({ id: fork.id, at: newest(open, fork.id) });
			assert.equal(second.record.title, "Fork of Fix the build");
			assert.equal(second.record.forkedFrom?.session, fork.id);
		});
	});

	it("has the model and the folder as of the entry, whatever was chosen since", async () => {
		await withAnswered(async (open) => {
			const { sessions, harness, id } = open;
			const at = newest(open, id);
			await sessions.configure(id, { tools: [], title: "Renamed" });
			const fork = await sessions.fork({ id, at });
			assert.equal(fork.record.title, "Fork of Renamed");
			const chosen = async (of: ConversationId) => (await harness.snapshot(AgentDoc, of, context))!;
			assert.deepEqual((await chosen(id)).tools, []);
			assert.equal((await chosen(fork.id)).tools, undefined);
			assert.equal((await chosen(fork.id)).cwd, fork.record.directory);
		});
	});

	it("can be made of every entry of a session that is at work, and disturbs nothing of it", async () => {
		await withGround(async (ground) => {
			const open = await ground.open();
			const { sessions, harness, release } = open;
			const { id } = await sessions.create({
				directory: await ground.folder("app"),
				content: 'tools: [{"name": "echo", "arguments": {"text": "a"}}, {"name": "hold"}]',
				requestId: "create",
			});
			await reached(sessions, id, ({ doing }) => doing?.tool === "hold");
			for (const { id: at } of await entriesOf({ harness, id })) {
				const fork = await sessions.fork({ id, at });
				await sessions.send({ id: fork.id, content: "hello", requestId: `on-${at}` });
				const ended = await reached(sessions, fork.id, ({ lastRun }) => lastRun !== undefined);
				assert.equal(ended.lastRun?.outcome, "answered", `at ${at}`);
			}
			assert.equal(sessions.get(id)?.activity.kind, "running");
			release();
			const over = await reached(sessions, id, ({ lastRun }) => lastRun !== undefined);
			assert.equal(over.lastRun?.outcome, "answered");
		});
	});

	it("with the same request id is made once, also by the next process; another entry is another request", async () => {
		await withGround(async (ground) => {
			const open = await ground.open({ storage: await sqliteIn(ground.home) });
			const directory = await ground.folder("app");
			const { id } = await open.sessions.create({ directory, content: "hello", requestId: "create" });
			await reached(open.sessions, id, isIdle);
			const request = { id, at: newest(open, id), requestId: "fork" };
			const [one, two] = await Promise.all([open.sessions.fork(request), open.sessions.fork(request)]);
			assert.equal(one.id, two.id);
			await open.close();
			const next = await ground.open({ storage: await sqliteIn(ground.home) });
			assert.equal((await next.sessions.fork(request)).id, one.id);
			assert.equal(next.sessions.list().length, 2);
			const first = (await entriesOf({ harness: next.harness, id }))[0]!.id;
			await assert.rejects(
				next.sessions.fork({ ...request, at: first }),
				refused("request_id_reused", /fork/),
			);
			await next.sessions.fork({ id, at: first });
			await next.sessions.fork({ id, at: first });
			assert.equal(next.sessions.list().length, 4, "without an id each is one of its own");
		});
	});

	it("of an entry the session doesn't show, or of no session, is refused and leaves its id free", async () => {
		await withAnswered(async (open) => {
			const { sessions, id } = open;
			const at = newest(open, id);
			const fork = await sessions.fork({ id, at });
			await sessions.send({ id: fork.id, content: "own", requestId: "own" });
			await reached(sessions, fork.id, isIdle);
			for (const entry of [9_999_999 as EntryId, newest(open, fork.id)])
				await assert.rejects(
					sessions.fork({ id, at: entry, requestId: "again" }),
					refused("not_found", /no entry \d+ in session/),
				);
			await assert.rejects(
				sessions.fork({ id: 9_999_999 as ConversationId, at, requestId: "again" }),
				refused("not_found", /no session/),
			);
			assert.equal((await sessions.fork({ id, at, requestId: "again" })).record.forkedFrom?.entry, at);
		});
	});

	it("of an archived session is a session in the list", async () => {
		await withAnswered(async (open) => {
			const { sessions, id } = open;
			await sessions.configure(id, { archived: true });
			const fork = await sessions.fork({ id, at: newest(open, id) });
			assert.deepEqual(
				sessions.list().map((each) => each.id),
				[fork.id],
			);
		});
	});
});

describe("reset", () => {
	it("of an idle session starts a new context at once; what was said stays", async () => {
		await withAnswered(async (open) => {
			const { sessions, harness, id } = open;
			const before = await entriesOf(open);
			await sessions.seen(id, newest(open, id));
			const reset = await sessions.reset({ id, note: "We were fixing the build." });
			assert.equal(reset.status, "done");
			const conversation = (await harness.conversation(id, context))!;
			const { messages, head } = await conversation.context(context);
			assert.deepEqual(
				messages.map(({ content }) => content),
				["We were fixing the build."],
			);
			assert.equal(head?.id, reset.entry);
			assert.deepEqual((await entriesOf(open)).slice(0, -1), before);
			assert.equal(sessions.get(id)?.unread, false, "a reset is nothing to read");
			await sessions.reset({ id });
			assert.deepEqual((await conversation.context(context)).messages, []);
		});
	});

	it("of a session at work waits for its step and ends the run; the same request id does it once", async () => {
		await withGround(async (ground) => {
			const { sessions, harness, release } = await ground.open();
			const { id } = await sessions.create({
				directory: await ground.folder("app"),
				content: 'tools: [{"name": "hold"}]',
				requestId: "create",
			});
			await reached(sessions, id, ({ doing }) => doing?.tool === "hold");
			const request = { id, note: "Start over.", requestId: "reset" };
			const queued = await sessions.reset(request);
			assert.equal(queued.status, "queued");
			assert.equal((await sessions.reset(request)).id, queued.id);
			release();
			const ended = await reached(sessions, id, ({ lastRun }) => lastRun !== undefined);
			assert.equal(ended.lastRun?.outcome, "stopped");
			assert.equal((await sessions.reset(request)).status, "done");
			const resets = (await entriesOf({ harness, id })).filter(({ kind }) => kind === "pi.reset");
			assert.equal(resets.length, 1);
			await assert.rejects(
				sessions.reset({ ...request, note: "Other" }),
				refused("request_id_reused", /reset/),
			);
			await assert.rejects(
				sessions.reset({ id: 9_999_999 as ConversationId }),
				refused("not_found", /no session/),
			);
		});
	});
});

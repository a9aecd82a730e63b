import assert from "node:assert/strict";
import { test } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { obj } from "@earendil-works/pi-schema";
import { defineTool, type ToolRegistration } from "../durable/index.ts";
import { until } from "../durable/testing/until.ts";
import { startAgent } from "./testing/agent.ts";

type Agent = Awaited<ReturnType<typeof startAgent>>;

let requests = 0;

test("a search names the session, its project and the entry, with what to highlight, newest first", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.connect();
	const session = await agent.session();
	await answered(agent, session, "slow 2: Needle");
	const { hits, hasMore } = await client.request("search", { query: "needle", limit: 20 });
	assert.deepEqual(
		hits.map((hit) => [hit.session, hit.project, hit.role]),
		[
			[session, `${agent.home}/p1`, "assistant"],
			[session, `${agent.home}/p1`, "user"],
		],
	);
	assert.equal(hasMore, false);
	const [, said] = hits;
	assert.equal(said!.title, agent.sessions.get(agent.id(session))?.record.title);
	assert.deepEqual(said!.snippet, { text: "slow 2: Needle", highlights: [[8, 14]] });
	const { entries } = await client.request("session.entries", { session, around: said!.entry, limit: 1 });
	assert.equal(entries[0]?.text, "slow 2: Needle");
	assert.equal(entries[0]?.at, said!.at);
	const first = await client.request("search", { query: "needle", limit: 1 });
	assert.deepEqual([first.hits, first.hasMore], [[hits[0]], true]);
});

test("a search keeps to a project and a time, and looks into the archive when asked", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.connect();
	const [one, two] = [await agent.session(), await agent.session()];
	await answered(agent, one, "slow 1: 数据库迁移失败了");
	await answered(agent, two, 'slow 1: "quoted" OR 数据库迁移失败了 🎉🚀');
	const find = async (query: string, more: object = {}) => {
		const { hits } = await client.request("search", { query, limit: 50, ...more });
		return hits.filter(({ role }) => role === "user").map((hit) => hit.session);
	};
	assert.deepEqual(await find("库迁移"), [two, one]);
	assert.deepEqual(await find("迁移"), [two, one]);
	assert.deepEqual(await find("库迁移", { project: "~/p1" }), [one]);
	assert.deepEqual(await find("库迁移", { project: `${agent.home}/p2/` }), [two]);
	assert.deepEqual(await find("库迁移", { project: "~/nowhere" }), []);
	assert.deepEqual(await find('"quoted" or'), [two]);
	assert.deepEqual(await find("🎉🚀"), [two]);
	assert.deepEqual(await find("库迁移", { since: Date.now() + 60_000 }), []);
	assert.deepEqual(await find("库迁移", { since: 1 }), [two, one]);

	await client.request("session.configure", { session: one, archived: true });
	assert.deepEqual(await find("库迁移"), [two]);
	assert.deepEqual(await find("库迁移", { archived: true }), [two, one]);
});

test("a message that was taken back before its turn is not found", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.connect();
	const session = await agent.session();
	await client.request("session.send", { session, content: "hang", requestId: "first" });
	await until("the run", () => agent.sessions.get(agent.id(session))?.activity.kind === "running");
	const queued = await client.request("session.send", {
		session,
		content: "the secret plan",
		requestId: "second",
	});
	await client.request("session.withdraw", { session, submission: queued.submission });
	await client.request("session.stop", { session });
	const { hits } = await client.request("search", { query: "secret plan", limit: 5 });
	assert.deepEqual(hits, []);
});

test("what a subagent said is found in its own conversation, under its session's title", async (t) => {
	const agent = await startAgent(t, { tools: [DELEGATE] });
	const client = await agent.connect();
	const session = await agent.session();
	await answered(agent, session, 'tools: [{"name":"delegate","arguments":{}}]');
	const model = [{ role: "user" as const, content: "a needle of nobody", timestamp: 1 }];
	const ownership = { kind: "ownerless" } as const;
	const nobody = await agent.harness.createConversation({ ownership }, BACKGROUND_CONTEXT);
	await nobody.commit((tx) => tx.appendEntry(nobody.id, { kind: "pi.user", model }), BACKGROUND_CONTEXT);
	const { hits } = await client.request("search", { query: "needle", limit: 5 });
	assert.equal(hits.length, 1, "what belongs to no session is not found");
	assert.notEqual(hits[0]!.session, session);
	assert.equal(hits[0]!.title, agent.sessions.get(agent.id(session))?.record.title);
	const { entries } = await client.request("session.entries", {
		session: hits[0]!.session,
		around: hits[0]!.entry,
		limit: 1,
	});
	assert.equal(entries[0]?.text, "a needle below");
});

/** Says something in a conversation of its own. */
const DELEGATE = defineTool({
	name: "delegate",
	description: "Delegates.",
	parameters: obj({}),
	replay: "safe",
	async execute(_args, api, context) {
		const model = [{ role: "user" as const, content: "a needle below", timestamp: 1 }];
		await api.commit(async (tx) => {
			const ownership = { kind: "task", taskId: api.taskId } as const;
			const { id } = await tx.createConversation({ ownership });
			await tx.appendEntry(id, { kind: "pi.user", model });
		}, context);
		return { content: [{ type: "text" as const, text: "delegated" }] };
	},
}) as ToolRegistration;

async function answered(agent: Agent, session: string, content: string): Promise<void> {
	const { id } = await agent.sessions.send({ id: agent.id(session), content, requestId: `s${++requests}` });
	await (await agent.harness.submission(id, BACKGROUND_CONTEXT))!.wait(BACKGROUND_CONTEXT);
}

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { AgentDoc, type ConversationId, type EntryId } from "../durable/index.ts";
import { isIdle, reached, SCRIPTED, withGround } from "./testing/ground.ts";
import { refused } from "./testing/refused.ts";

describe("configure", () => {
	it("a person's title wins for ever over the model's and a message's", async () => {
		await withGround(async (ground) => {
			const { sessions } = await ground.open();
			const { id } = await sessions.create({ directory: await ground.folder("app"), requestId: "r1" });
			const title = () => sessions.get(id)?.record.title;
			await sessions.retitle(id, "A model's\nidea");
			assert.equal(title(), "A model's idea");
			await sessions.retitle(id, "A better idea");
			assert.equal(title(), "A better idea");
			await sessions.configure(id, { title: "  Mine  " });
			await sessions.retitle(id, "Not mine");
			await sessions.send({ id, content: "hello", requestId: "r2" });
			assert.equal(title(), "Mine");
			await sessions.configure(id, { title: " " });
			assert.equal(title(), "app");
		});
	});

	it("archiving ends the work and what is left in the background, and hides the session", async () => {
		await withGround(async (ground) => {
			const ended: ConversationId[] = [];
			const { sessions } = await ground.open({ endBackground: (id) => void ended.push(id) });
			const directory = await ground.folder("app");
			const { id } = await sessions.create({ directory, content: "hang", requestId: "r1" });
			const { record, activity } = await sessions.configure(id, { archived: true, title: "Old" });
			assert.equal(typeof record.archivedAt, "number");
			assert.equal(record.title, "Old");
			assert.deepEqual(activity, { kind: "idle" });
			assert.deepEqual(ended, [id]);
			assert.deepEqual(sessions.list(), []);
			assert.equal(sessions.list({ archived: true }).length, 1);
			assert.equal((await sessions.configure(id, { archived: false })).record.archivedAt, undefined);
			assert.deepEqual(ended, [id]);
		});
	});

	it("a message that comes in while a session is archived is not lost", async () => {
		await withGround(async (ground) => {
			const open = await ground.open({
				endBackground: async (id) => {
					await open.sessions.send({ id, content: "hang", requestId: "r2" });
				},
			});
			const { sessions } = open;
			const { id } = await sessions.create({ directory: await ground.folder("app"), requestId: "r1" });
			await assert.rejects(sessions.configure(id, { archived: true }), refused("busy", /new message/));
			const { record, activity } = sessions.get(id)!;
			assert.equal(record.archivedAt, undefined);
			assert.equal(activity.kind, "running");
			await sessions.stop(id);
		});
	});

	it("changes the model to one that can answer, or to the default", async () => {
		await withGround(async (ground) => {
			const { sessions, harness } = await ground.open();
			const { id } = await sessions.create({ directory: await ground.folder("app"), requestId: "r1" });
			const other = { provider: SCRIPTED.provider, modelId: "another" };
			assert.deepEqual((await sessions.configure(id, { model: other })).model, other);
			const unknown = { provider: "nobody", modelId: "m" };
			await assert.rejects(
				sessions.configure(id, { model: unknown, title: "x" }),
				refused("model_unavailable"),
			);
			assert.deepEqual(sessions.get(id)?.model, other);
			assert.equal(sessions.get(id)?.record.title, "app");
			assert.deepEqual((await sessions.configure(id, { model: null })).model, SCRIPTED);
			await sessions.configure(id, { thinkingLevel: "high", tools: [{ name: "echo" }] });
			const agent = await harness.snapshot(AgentDoc, id, BACKGROUND_CONTEXT);
			assert.equal(agent?.thinkingLevel, "high");
			assert.deepEqual(agent?.tools, ["echo"]);
		});
	});
});

describe("seen", () => {
	it("goes forward only, and never past what there is", async () => {
		await withGround(async (ground) => {
			const { sessions } = await ground.open();
			const directory = await ground.folder("app");
			const { id } = await sessions.create({ directory, content: "hello", requestId: "r1" });
			const done = await reached(sessions, id, (snapshot) => isIdle(snapshot) && snapshot.unread);
			const newest = done.newestEntry!;
			assert.equal((await sessions.seen(id, newest)).unread, false);
			const older = (newest - 1) as EntryId;
			assert.equal((await sessions.seen(id, older)).record.seen, newest);
			await assert.rejects(sessions.seen(id, (newest + 1_000) as EntryId), refused("not_found"));
		});
	});
});

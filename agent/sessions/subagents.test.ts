import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { type ConversationId, LiveDoc, type LiveState } from "../durable/index.ts";
import { until } from "../durable/testing/until.ts";
import { type OpenGround, reached, withGround } from "./testing/ground.ts";
import { delegate, openWithSubagents } from "./testing/subagents.ts";

const context = BACKGROUND_CONTEXT;
const HANG = "hang";

/** Every conversation below this one, once the deepest of so many levels is at work. */
async function levels({ harness }: OpenGround, id: ConversationId, depth: number): Promise<ConversationId[]> {
	const found: ConversationId[] = [];
	for (let above = id; found.length < depth; above = found.at(-1)!)
		found.push(
			await until("a subagent at work", async () => {
				const { items } = await harness.conversations({ ownerConversationId: above }, 1, undefined, context);
				const child = items[0]?.id;
				const live = child && ((await harness.snapshot(LiveDoc, child, context)) as LiveState | undefined);
				return live?.run === undefined ? undefined : child;
			}),
		);
	return found;
}

describe("a session's subagents", () => {
	it("end with a stop of its run, at every depth; those in the background go on", async () => {
		await withGround(async (ground) => {
			const opened = await openWithSubagents(ground);
			const { sessions, harness } = opened;
			const directory = await ground.folder("app");
			const { id } = await sessions.create({ directory, content: delegate(delegate(HANG)), requestId: "r1" });
			await levels(opened, id, 2);
			assert.equal(await sessions.stop(id), true);
			assert.deepEqual((await harness.inspect(context)).tasks, []);

			const other = await sessions.create({ directory, content: delegate(HANG, true), requestId: "r2" });
			const [child] = await levels(opened, other.id, 1);
			await reached(sessions, other.id, ({ lastRun }) => lastRun !== undefined);
			await sessions.stop(other.id);
			assert.ok(((await harness.snapshot(LiveDoc, child!, context)) as LiveState).run, "it goes on");
			assert.equal(await sessions.stop(child!), true, "and can be stopped by itself");
			await reached(sessions, other.id, ({ preview }) => (preview ?? "").includes("scripted model"));
		});
	});

	it("in the background end with a stop that asks for it", async () => {
		await withGround(async (ground) => {
			const opened = await openWithSubagents(ground);
			const { sessions, harness } = opened;
			const directory = await ground.folder("app");
			const { id } = await sessions.create({ directory, content: delegate(HANG, true), requestId: "r1" });
			await levels(opened, id, 1);
			await reached(sessions, id, ({ lastRun }) => lastRun !== undefined);
			assert.equal(await sessions.stop(id, { background: true }), true);
			assert.deepEqual((await harness.inspect(context)).tasks, []);
			assert.deepEqual(sessions.get(id)?.activity, { kind: "idle" });
		});
	});

	it("are all ended when it is archived, with what their commands left running", async () => {
		await withGround(async (ground) => {
			const ended: ConversationId[] = [];
			const opened = await openWithSubagents(ground, {}, ended);
			const { sessions, harness } = opened;
			const directory = await ground.folder("app");
			const content = delegate(delegate(HANG), true);
			const { id } = await sessions.create({ directory, content, requestId: "r1" });
			const below = await levels(opened, id, 2);
			const { record } = await sessions.configure(id, { archived: true });
			assert.equal(typeof record.archivedAt, "number");
			assert.deepEqual((await harness.inspect(context)).tasks, []);
			assert.deepEqual(ended, [id, ...below]);

			await sessions.send({ id: below[1]!, content: "slow 1: hello", requestId: "r2" });
			assert.equal(sessions.get(id)?.record.archivedAt, undefined, "a message to one brings it back");
			await harness.waitForIdle(context);
		});
	});
});

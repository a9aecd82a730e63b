import assert from "node:assert/strict";
import { test } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { type ConversationId, ToolResultEntry } from "../durable/index.ts";
import { createSearchHistory } from "../tools/search-history.ts";
import { historyOf } from "./history.ts";
import { isIdle, type OpenGround, reached, withGround } from "./testing/ground.ts";

const context = BACKGROUND_CONTEXT;

test("the model finds what was said: in its folder's sessions, archived ones too; everywhere when it asks; by time", async () => {
	await withGround(async (ground) => {
		let open: OpenGround | undefined;
		const history = createSearchHistory(() => historyOf(open!.harness, open!.sessions));
		const ground1 = await ground.open({ extensions: [history] });
		open = ground1;
		const { sessions, harness } = ground1;

		async function session(folder: string, content: string): Promise<ConversationId> {
			const directory = await ground.folder(folder);
			const { id } = await sessions.create({ directory, content, requestId: `${folder}:${content}` });
			await reached(sessions, id, (snapshot) => isIdle(snapshot) && snapshot.lastRun !== undefined);
			return id;
		}
		const old = await session("shop", "the zebra crossing is in map.ts");
		await sessions.configure(old, { archived: true, title: "Streets" });
		const elsewhere = await session("bank", "a zebra at the bank");
		await sessions.configure(elsewhere, { title: "Bank" });

		async function search(args: object): Promise<string> {
			const call = JSON.stringify([{ name: "search_history", arguments: args }]);
			const id = await session("shop", `tools: ${call}`);
			const page = await harness.entries({ conversationId: id }, 20, undefined, context);
			const result = page.items.find(ToolResultEntry.is)?.model?.[0];
			assert.ok(result?.role === "toolResult");
			return result.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
		}
		const lines = (text: string) => text.split("\n");
		const near = lines(await search({ query: "zebra crossing" }));
		assert.equal(near.length, 1);
		assert.match(
			near[0]!,
			/^\d{4}-\d{2}-\d{2} \d{2}:\d{2} · Streets · message: .*zebra crossing is in map\.ts/,
		);
		const all = lines(await search({ query: "a zebra", scope: "all" })).filter(
			(line) => !line.includes("tools: ["),
		);
		assert.deepEqual(
			all.map((line) => line.split(" · ")[1]),
			["Bank", "Streets"],
		);
		assert.match(
			await search({ query: "crossing", scope: "session", limit: "5" }),
			/Nothing that was said in this session holds all of: crossing/,
		);
		assert.match(await search({ query: "zebracrossing nowhere" }), /Nothing that was said .* holds all of/);
		assert.match(
			await search({ query: "zebra", until: "2001-01-01" }),
			/Nothing that was said in sessions in this folder/,
		);
		assert.match(await search({ query: "is in map.ts", since: "2001-01-01" }), /· Streets · /);
		assert.match(
			await search({ query: "zebra", since: "yesterday" }),
			/since can't be read as a time: yesterday/,
		);
		assert.match(await search({ query: "zebra", scope: "all", limit: 1 }), /Only the newest 1 hit shown/);

		const cut = await session("shop", "the password rule is in gate.ts");
		await (await harness.conversation(cut, context))!.reset(undefined, context);
		const call = [{ name: "search_history", arguments: { query: "gate.ts", scope: "session" } }];
		await sessions.send({ id: cut, content: `tools: ${JSON.stringify(call)}`, requestId: "again" });
		await reached(sessions, cut, (now) => isIdle(now) && (now.preview ?? "").startsWith("`search_history"));
		const { items } = await harness.entries({ conversationId: cut }, 20, undefined, context);
		const found = JSON.stringify(items.find(ToolResultEntry.is)?.model?.[0]);
		assert.match(
			found,
			/message: the password rule is in gate\.ts/,
			"what a reset took out of sight is found",
		);
		assert.doesNotMatch(found, /tools: /, "what the model is shown anyway is not");
	});
});

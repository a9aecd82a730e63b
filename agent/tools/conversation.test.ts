import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { createModels } from "@earendil-works/pi-ai/models";
import { fauxAssistantMessage, fauxProvider, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import { createFilesOnlyEnv } from "../durable/env/memory-env.ts";
import { createMemoryFileSystem } from "../durable/env/memory-file-system.ts";
import { createRegistry, Harness, ToolResultEntry } from "../durable/index.ts";
import { openNodeSqliteStorage } from "../durable/storage/sqlite/node.ts";
import { FileTools } from "./index.ts";

const context = BACKGROUND_CONTEXT;

describe("The file tools in a conversation of the harness", () => {
	it("know across a restart what the model read, and store the repair of arguments", async (test) => {
		const folder = await mkdtemp(join(tmpdir(), "outlive-conversation-"));
		test.after(() => rm(folder, { recursive: true }));
		const fs = createMemoryFileSystem({ files: { "a.txt": "one\ntwo\n" } });

		const first = await open();
		await first.run("read", { file_path: "a.txt" });
		await first.harness.close(context);

		await fs.writeFileAtomic("a.txt", new TextEncoder().encode("one\nchanged\n"), {}, context);
		const second = await open();
		const edit = { path: "a.txt", old_string: "one", new_string: "1" };
		assert.match(await second.run("edit", edit), /changed since you last read it/);
		assert.equal(await second.run("read", { path: "a.txt" }), "one\nchanged");
		assert.match(await second.run("edit", JSON.stringify(edit)), /^Edited a\.txt: 1 place/);
		await second.harness.close(context);
		assert.equal(new TextDecoder().decode(await fs.readFile("a.txt", {}, context)), "1\nchanged\n");

		async function open() {
			const storage = await openNodeSqliteStorage(join(folder, "store.sqlite"));
			const registry = createRegistry();
			registry.install(FileTools);
			const faux = fauxProvider();
			const models = createModels();
			models.setProvider(faux.provider);
			const options = { models, registry, env: () => createFilesOnlyEnv(fs) };
			const harness = await Harness.open(storage, options, context);
			const { provider, id: modelId } = faux.getModel();
			const root = await harness.root(context, { agent: { model: { provider, modelId } } });
			return {
				harness,
				/** Has the model make one call and returns what it is told. */
				async run(name: string, args: unknown): Promise<string> {
					faux.setResponses([
						fauxAssistantMessage([fauxToolCall(name, args as never)], { stopReason: "toolUse" }),
						fauxAssistantMessage("done"),
					]);
					const submission = await root.submit({ type: "input", content: "go on" }, context);
					await submission.wait(context);
					const { items } = await root.entries({}, 20, undefined, context);
					const result = items.find(ToolResultEntry.is)?.model?.[0];
					assert.ok(result?.role === "toolResult");
					return result.content.map((block) => (block.type === "text" ? block.text : "")).join("");
				},
			};
		}
	});
});

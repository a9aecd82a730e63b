/** Compacting a conversation: by hand with instructions, by a hook, and the whole of it, which stays in the store. */
import {
	CompactionEntry,
	CompactionTask,
	createRegistry,
	defineExtension,
	Harness,
	hook,
	MemoryStorage,
} from "outlive/durable";
import { ask, context, MODEL, scriptedModel } from "./said.ts";

let decline = false;
const registry = createRegistry();
const Thrift = defineExtension({
	name: "thrift",
	hooks: [
		hook(CompactionTask, {
			beforeCompact: ({ reason, messages }) => {
				console.log(`${reason}: ${messages.length} messages to sum up`);
				return decline ? { decline } : undefined;
			},
		}),
	],
});
registry.install(Thrift);
const models = scriptedModel("login.test.ts fails.", "Fixed.", "login.test.ts was fixed.", "Done.");
const settings = { compaction: { keepRecentTokens: 5 } };
const harness = await Harness.open(new MemoryStorage(), { models, registry, settings }, context);
const root = await harness.root(context, { agent: { model: MODEL } });

await ask(root, "Which test fails?");
await ask(root, "Fix it, please, and say when it passes");
const id = await root.compact("Keep the failing test names", context);
const { outcome } = (await harness.waitForTask(id, context)).state;
if (outcome.status === "completed" && outcome.result.submissionId !== undefined) {
	const placed = await (await harness.submission(outcome.result.submissionId, context))!.wait(context);
	console.log("placed:", placed.status);
}
const { entries } = await root.context(context);
console.log("the model sees:", entries.map(({ kind }) => kind).join(", "));
console.log("answer:", await ask(root, "Commit it"));

decline = true;
const declined = await harness.waitForTask(await root.compact(undefined, context), context);
console.log("declined:", JSON.stringify(declined.state.outcome));

const all = await root.entries({ order: "ascending" }, 100, undefined, context);
const kept = all.items.filter((entry) => !CompactionEntry.is(entry) && entry.kind !== "pi.system");
console.log("in the store:", kept.length, "of", 6);
await harness.close(context);

/* prints:
manual: 2 messages to sum up
placed: done
the model sees: pi.compaction, pi.user, pi.assistant
answer: Done.
manual: 3 messages to sum up
declined: {"status":"completed","result":{}}
in the store: 6 of 6
*/

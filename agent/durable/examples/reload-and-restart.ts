/**
 * Replacing an extension: the call that is running ends on its old code, the next one uses the new. After a restart the
 * conversation's choices are there by name, and its work goes on once the code is installed again.
 */
import { fauxToolCall } from "@earendil-works/pi-ai";
import { obj } from "@earendil-works/pi-schema";
import { createRegistry, defineExtension, defineTool, Harness } from "outlive/durable";
import { openNodeSqliteStorage } from "outlive/durable/storage/sqlite/node";
import { answerTo, ask, context, MODEL, scriptedModel, transcriptOf } from "./said.ts";
import { temporaryFile } from "./temporary-file.ts";

const started = Promise.withResolvers<void>();
const finish = Promise.withResolvers<void>();
const greeter = (version: string) =>
	defineExtension({
		name: "greeter",
		tools: [
			defineTool({
				name: "greet",
				description: "Greets.",
				parameters: obj({}),
				execute: async () => {
					started.resolve();
					await finish.promise;
					return { content: [{ type: "text", text: `hello from ${version}` }] };
				},
			}),
		],
	});

const file = temporaryFile("session.sqlite");
const registry = createRegistry();
registry.install(greeter("version 1"));
const models = scriptedModel(
	[fauxToolCall("greet", {})],
	[fauxToolCall("greet", {})],
	"Greeted twice.",
	[fauxToolCall("greet", {})],
	"And again.",
);
const first = await Harness.open(await openNodeSqliteStorage(file), { models, registry }, context);
const root = await first.root(context, { agent: { model: MODEL, instructions: "Be brief." } });
const submission = await root.submit({ type: "input", content: "Greet twice" }, context);
await started.promise;
registry.install(greeter("version 2"));
finish.resolve();
console.log(await answerTo(root, submission));
await first.close(context);

console.log("-- a restart, with the extension's third version");
const later = createRegistry();
later.install(greeter("version 3"));
const second = await Harness.open(await openNodeSqliteStorage(file), { models, registry: later }, context);
const again = await second.root(context);
console.log("instructions:", (await again.agent(context)).instructions);
await ask(again, "Once more");
console.log(await transcriptOf(again));
await second.close(context);

/* prints:
Greeted twice.
-- a restart, with the extension's third version
instructions: Be brief.
user: Greet twice
assistant: greet({})
toolResult: hello from version 1
assistant: greet({})
toolResult: hello from version 2
assistant: Greeted twice.
user: Once more
assistant: greet({})
toolResult: hello from version 3
assistant: And again.
*/

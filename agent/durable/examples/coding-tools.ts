/** A turn with the coding tools, in a folder of the conversation's own, kept as JSON lines and opened again. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fauxToolCall } from "@earendil-works/pi-ai";
import { createRegistry, Harness } from "outlive/durable";
import { NodeExecutionEnv } from "outlive/durable/env/node";
import { openNodeJsonlStorage } from "outlive/durable/storage/jsonl/node";
import { CodingTools } from "outlive/durable/tools";
import { ask, context, MODEL, scriptedModel, transcriptOf } from "./said.ts";
import { temporaryFile } from "./temporary-file.ts";

const store = temporaryFile("store");
const project = join(dirname(store), "project");
mkdirSync(project);
writeFileSync(join(project, "greet.sh"), "echo helo\n");

const registry = createRegistry();
registry.install(CodingTools);
const env = ({ cwd }: { readonly cwd?: string }) => new NodeExecutionEnv({ cwd: cwd ?? project });
const models = scriptedModel(
	[fauxToolCall("read", { path: "greet.sh" })],
	[fauxToolCall("edit", { path: "greet.sh", old_string: "helo", new_string: "hello" })],
	[fauxToolCall("bash", { command: "sh greet.sh" })],
	"It says hello now.",
);
const open = async () =>
	Harness.open(await openNodeJsonlStorage(store, context), { models, registry, env }, context);

const harness = await open();
const root = await harness.root(context, { agent: { model: MODEL, cwd: project } });
console.log(await ask(root, "Fix the greeting"));
console.log(readFileSync(join(project, "greet.sh"), "utf8").trim());
await harness.close(context);

const again = await open();
const calls = (await transcriptOf(await again.root(context))).match(/^assistant: \w+/gm);
console.log(calls?.join(", "));
await again.close(context);

/* prints:
It says hello now.
echo hello
assistant: read, assistant: edit, assistant: bash, assistant: It
*/

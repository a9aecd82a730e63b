/** One question and its answer, in memory. */
import { createRegistry, Harness, MemoryStorage } from "outlive/durable";
import { ask, context, MODEL, scriptedModel } from "./said.ts";

const models = scriptedModel("Paris.");
const harness = await Harness.open(new MemoryStorage(), { models, registry: createRegistry() }, context);
const root = await harness.root(context, { agent: { model: MODEL } });
console.log(await ask(root, "What is the capital of France?"));
await harness.close(context);

/* prints:
Paris.
*/

/**
 * A program that ends itself with SIGKILL while a run of it waits for a summary, and that for the end of a plan limit.
 * Argument: the file of its store. The model and the settings are those that `compaction/waits.test.ts` opens it with.
 */
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { createRegistry, Harness } from "../../index.ts";
import { openNodeSqliteStorage } from "../../storage/sqlite/node.ts";
import { createSteeredModel } from "../steered-model.ts";
import { FULL, talkUntilFull, waitingStatus } from "../talk.ts";

const [file] = process.argv.slice(2) as [string];
const model = createSteeredModel({ contextWindow: FULL.contextWindow });
const storage = await openNodeSqliteStorage(file);
const { settings } = FULL;
const harness = await Harness.open(
	storage,
	{ models: model.models, registry: createRegistry(), settings },
	context,
);
const root = await harness.root(context, { agent: { model: model.ref } });
const summary = await talkUntilFull(root, model);
summary.fail("Server requested 7200s retry delay (max: 60s). You've hit your 5-hour limit");
await waitingStatus(harness, root);
process.kill(process.pid, "SIGKILL");

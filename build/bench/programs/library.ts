import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { createModels } from "@earendil-works/pi-ai";
import { createRegistry, Harness } from "outlive/durable";
import { openNodeSqliteStorage } from "outlive/durable/storage/sqlite/node";
import { programInput, programOutput } from "../run-program.ts";
import { interleaved, median } from "../statistics.ts";

/** Of one store: opening it, and attaching to its only conversation; medians in ms. */
export type LibraryTimes = { readonly open: number; readonly attach: number };

const WARM_UP = 5;
const TAIL = 100;

const { files, repetitions } = programInput<{ files: readonly string[]; repetitions: number }>();
const context = BACKGROUND_CONTEXT;

/** Opens a harness, attaches to its conversation and closes it; adds how long the first two took. */
function measure(file: string, times: { open: number[]; attach: number[] }) {
	return async (): Promise<number> => {
		const begun = performance.now();
		const storage = await openNodeSqliteStorage(file, { exclusive: true });
		const options = { models: createModels(), registry: createRegistry() };
		const harness = await Harness.open(storage, options, context);
		times.open.push(performance.now() - begun);
		const { items } = await harness.conversations({}, 1, undefined, context);
		const conversation = (await harness.conversation(items[0]!.id, context))!;
		const attached = performance.now();
		const watch = await conversation.watch(context, { tail: TAIL });
		times.attach.push(performance.now() - attached);
		await watch.stop();
		await harness.close(context);
		return 0;
	};
}

const times = files.map(() => ({ open: [] as number[], attach: [] as number[] }));
const measures = files.map((file, index) => measure(file, times[index]!));
await interleaved(WARM_UP, measures);
for (const taken of times) taken.open.length = taken.attach.length = 0;
await interleaved(repetitions, measures);
programOutput(
	times.map(({ open, attach }): LibraryTimes => ({ open: median(open), attach: median(attach) })),
);

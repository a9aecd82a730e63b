/**
 * Two calls at once, and the process is killed in the middle of both. The search may run again, so it does. The booking
 * may not: the model is told that it was interrupted and may have happened. The request id finds the same submission.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { fauxToolCall } from "@earendil-works/pi-ai";
import { obj, str } from "@earendil-works/pi-schema";
import { createRegistry, defineExtension, defineTool, Harness } from "outlive/durable";
import { openNodeSqliteStorage } from "outlive/durable/storage/sqlite/node";
import { answerTo, context, MODEL, scriptedModel, transcriptOf } from "./said.ts";
import { temporaryFile } from "./temporary-file.ts";

const [, , killed] = process.argv;
const isFirst = killed !== undefined;
const file = killed ?? temporaryFile("trip.sqlite");

/** In the first process a call never ends: it reports that it runs, and waits to be killed. */
const work = async (what: string): Promise<string> => {
	if (!isFirst) console.log(`${what} runs in the second process`);
	process.send?.(what);
	if (isFirst) await new Promise((resolve) => setTimeout(resolve, 600_000));
	return `${what} done`;
};
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

const Trip = defineExtension({
	name: "trip",
	tools: [
		defineTool({
			name: "search_flights",
			description: "Looks for flights.",
			parameters: obj({ to: str() }),
			replay: "safe",
			execute: async () => text(await work("search")),
		}),
		defineTool({
			name: "book_hotel",
			description: "Books a hotel.",
			parameters: obj({ city: str() }),
			execute: async () => text(await work("booking")),
		}),
	],
});

if (!isFirst) {
	const first = fork(fileURLToPath(import.meta.url), [file]);
	const running = new Set<unknown>();
	await new Promise<void>((resolve) => {
		first.on("message", (what) => {
			if (running.add(what).size === 3) resolve();
		});
	});
	first.kill("SIGKILL");
	await once(first, "exit");
	console.log(
		`killed while these ran: ${[...running]
			.filter((what) => what !== "sent")
			.sort()
			.join(", ")}`,
	);
}

const registry = createRegistry();
registry.install(Trip);
const calls = [
	fauxToolCall("search_flights", { to: "Oslo" }, { id: "c1" }),
	fauxToolCall("book_hotel", { city: "Oslo" }, { id: "c2" }),
];
const models = isFirst ? scriptedModel(calls) : scriptedModel("Please look whether the hotel is booked.");
const harness = await Harness.open(await openNodeSqliteStorage(file), { models, registry }, context);
const root = await harness.root(context, { agent: { model: MODEL } });
const request = { type: "input", content: "A trip to Oslo", requestId: "trip-1" } as const;
const submission = await root.submit(request, context);
process.send?.("sent");
console.log(await answerTo(root, submission));
console.log(await transcriptOf(root));
const { items } = await harness.submissions({}, 10, undefined, context);
console.log(`submissions: ${items.length}`);
await harness.close(context);

/* prints:
killed while these ran: booking, search
search runs in the second process
Please look whether the hotel is booked.
user: A trip to Oslo
assistant: search_flights({"to":"Oslo"})book_hotel({"city":"Oslo"})
toolResult: search done
toolResult: <harness>
[error] Tool book_hotel was interrupted and may have partially run
</harness>
assistant: Please look whether the hotel is booked.
submissions: 1
*/

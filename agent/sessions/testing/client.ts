/**
 * A process that opens sessions on a store and makes the requests it is given, in order, as a server would for a client
 * that has sent them. It writes `done` when all were answered, so that a test can tell an end from a death.
 *
 * argv: the home directory, and the requests as JSON.
 */
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { openGround, sqliteIn } from "./ground.ts";

export type ClientRequest = {
	readonly requestId: string;
	readonly content: string;
	readonly directory: string;
};

const [home, text] = process.argv.slice(2);
const { create, sends, fork } = JSON.parse(text!) as {
	create: ClientRequest;
	sends: ClientRequest[];
	/** Off the first entry. */
	fork: Pick<ClientRequest, "requestId">;
};

const { sessions, harness, close } = await openGround(home!, { storage: await sqliteIn(home!) });
const { id } = await sessions.create(create);
for (const { content, requestId } of sends) await sessions.send({ id, content, requestId });
const query = { conversationId: id, order: "ascending" } as const;
const first = (await harness.entries(query, 1, undefined, BACKGROUND_CONTEXT)).items[0]!;
await sessions.fork({ id, at: first.id, requestId: fork.requestId });
await close();
process.stdout.write("done\n");

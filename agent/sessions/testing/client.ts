/**
 * A process that opens sessions on a store and makes the requests it is given, in order, as a server would for a client
 * that has sent them. It writes `done` when all were answered, so that a test can tell an end from a death.
 *
 * argv: the home directory, and the requests as JSON.
 */
import { openGround, sqliteIn } from "./ground.ts";

export type ClientRequest = {
	readonly requestId: string;
	readonly content: string;
	readonly directory: string;
};

const [home, text] = process.argv.slice(2);
const { create, sends } = JSON.parse(text!) as { create: ClientRequest; sends: ClientRequest[] };

const { sessions, close } = await openGround(home!, { storage: await sqliteIn(home!) });
const { id } = await sessions.create(create);
for (const { content, requestId } of sends) await sessions.send({ id, content, requestId });
await close();
process.stdout.write("done\n");

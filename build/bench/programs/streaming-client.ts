import { setTimeout as pause } from "node:timers/promises";
import { connectClient, type SessionView, type Watch } from "../../../agent/protocol/index.ts";
import { connectSocket } from "../../../agent/protocol/node-socket-transport.ts";
import { programInput, programOutput } from "../run-program.ts";
import { quantile } from "../statistics.ts";
import { sentAfter } from "../timed/tokens.ts";

/** From the provider's sending of a token to the client's having it, in ms. */
export type StreamingTimes = {
	readonly p50: number;
	readonly p99: number;
	readonly tokens: number;
	readonly seconds: number;
};

const { socket, project, sessions, warmUpMs, lengthMs } = programInput<{
	socket: string;
	project: string;
	sessions: number;
	warmUpMs: number;
	lengthMs: number;
}>();

const client = await connectClient(await connectSocket(socket), { client: "outlive-bench-stream" });
const delays: number[] = [];
let measuring = false;

async function follow(): Promise<Watch<SessionView>> {
	const { session } = await client.request("sessions.create", {
		directory: project,
		content: "stream",
		requestId: crypto.randomUUID(),
	});
	let newest = 0;
	return client.watch(
		"session.watch",
		{ session },
		{
			onValue({ live }) {
				const now = Date.now();
				const before = newest;
				for (const sentAt of sentAfter(live.partial?.text ?? "", before)) {
					newest = Math.max(newest, sentAt);
					if (measuring) delays.push(now - sentAt);
				}
			},
			onEnd(error) {
				throw error;
			},
		},
	);
}

const watches = await Promise.all(Array.from({ length: sessions }, follow));
await pause(warmUpMs);
measuring = true;
const begun = performance.now();
await pause(lengthMs);
const seconds = (performance.now() - begun) / 1_000;
for (const watch of watches) watch.stop();
client.close();
programOutput({
	p50: quantile(delays, 0.5),
	p99: quantile(delays, 0.99),
	tokens: delays.length,
	seconds,
} satisfies StreamingTimes);

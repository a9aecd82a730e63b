import type { SessionView } from "../../../agent/protocol/index.ts";
import type { AgentPlace } from "../../../agent/testing/agent-process.ts";
import { LARGE } from "../fixture/shapes.ts";
import type { Ground } from "../ground.ts";
import type { Row } from "../row.ts";
import { isStreaming, runSessions, untilEach } from "../run-sessions.ts";
import { interleaved, median } from "../statistics.ts";
import { shutDown, welcomed } from "../welcome.ts";
import { startAgent } from "./cold-start.ts";

const SESSIONS = 100;
/** Longer than any measurement: 10 words a second. */
const ANSWER = "slow 1000: word";

export const recovery: Row = {
	name: "recovery",
	async measure(ground) {
		const [running, idle] = [await ground.place(LARGE), await ground.place(LARGE)];
		const measures = [() => recover(ground, running), async () => (await startAgent(ground, idle)).welcome];
		const [recovered, started] = (await interleaved(ground.quick ? 1 : 5, measures)).map(median);
		return [
			{
				name: "recovery",
				value: (recovered! - started!) / SESSIONS,
				unit: "ms a session",
				goal: 3,
				from: { "all streaming ms": recovered!, "cold start ms": started! },
			},
		];
	},
};

/** From the kill of an agent with running sessions, and the start of the next one, to all of them streaming, in ms. */
async function recover(ground: Ground, place: AgentPlace): Promise<number> {
	const first = await ground.start(place);
	const before = await welcomed(place, first);
	const sessions = await runSessions(before, place, SESSIONS, ANSWER);
	await untilEach(before, sessions, isStreaming);
	await first.kill();
	before.close();

	const begun = performance.now();
	const second = await ground.start(place);
	const after = await welcomed(place, second);
	await untilEach(after, sessions, isStreamingAgain);
	const took = performance.now() - begun;
	await Promise.all(sessions.map((session) => after.request("session.stop", { session })));
	await shutDown(after, second);
	return took;
}

/** The answer that was cut off is in the transcript, and the next one is coming in. */
function isStreamingAgain(view: SessionView): boolean {
	const last = view.entries.at(-1);
	return isStreaming(view) && last?.role === "assistant" && last.stopReason === "aborted";
}

import type { StreamingTimes } from "../programs/streaming-client.ts";
import type { Row } from "../row.ts";
import { runProgram } from "../run-program.ts";
import { shutDown, welcomed } from "../welcome.ts";

const SESSIONS = 100;
/** How often the harness stores what has come of an answer. */
const COMMIT_INTERVAL_MS = 100;

export const streaming: Row = {
	name: "streaming",
	async measure(ground) {
		const place = await ground.place();
		const agent = await ground.start(place, "timed");
		const client = await welcomed(place, agent);
		const { p50, p99, tokens, seconds } = await runProgram<StreamingTimes>("streaming-client", {
			socket: place.socket,
			project: place.project,
			sessions: SESSIONS,
			warmUpMs: 3_000,
			lengthMs: ground.quick ? 3_000 : 20_000,
		});
		await shutDown(client, agent);
		return [
			{
				name: "streaming",
				value: p99 / COMMIT_INTERVAL_MS,
				unit: "×",
				goal: 1.5,
				from: { "p99 ms": p99, "p50 ms": p50, "tokens a second": tokens / seconds },
			},
		];
	},
};

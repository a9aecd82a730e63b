import { settledMb } from "../process-use.ts";
import type { Row } from "../row.ts";
import { isStreaming, runSessions, untilEach } from "../run-sessions.ts";
import { shutDown, welcomed } from "../welcome.ts";

const SESSIONS = 100;
/** Long enough to outlast the measurement. */
const ANSWER = "slow 1000: word";

export const perSession: Row = {
	name: "per session",
	async measure(ground) {
		const place = await ground.place();
		const agent = await ground.start(place);
		const client = await welcomed(place, agent);
		await client.request("sessions.list", {});
		const idle = await settledMb(agent.pid);
		const sessions = await runSessions(client, place, SESSIONS, ANSWER);
		await untilEach(client, sessions, isStreaming);
		const running = await settledMb(agent.pid);
		await shutDown(client, agent);
		return [
			{
				name: "per session",
				value: (running - idle) / SESSIONS,
				unit: "MB",
				goal: 4.5,
				from: { "100 running MB": running, "none MB": idle },
			},
		];
	},
};

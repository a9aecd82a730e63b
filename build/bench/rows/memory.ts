import type { AgentPlace } from "../../../agent/testing/agent-process.ts";
import { LARGE, SMALL } from "../fixture/shapes.ts";
import type { Ground } from "../ground.ts";
import { settledMb } from "../process-use.ts";
import type { Row } from "../row.ts";
import { interleaved, median } from "../statistics.ts";
import { shutDown, welcomed } from "../welcome.ts";

export const memory: Row = {
	name: "memory",
	async measure(ground) {
		const [large, small] = [await ground.place(LARGE), await ground.place(SMALL)];
		const taken = await interleaved(ground.quick ? 1 : 5, [
			() => memoryOf(ground, large),
			() => memoryOf(ground, small),
		]);
		const [withLarge, withSmall] = taken.map(median);
		return [
			{
				name: "memory",
				value: withLarge! / withSmall!,
				unit: "×",
				goal: 1.2,
				from: { "100,000 entries MB": withLarge!, "1,000 entries MB": withSmall! },
			},
		];
	},
};

/** Of an agent that has shown its list and one session, in MB. */
async function memoryOf(ground: Ground, place: AgentPlace): Promise<number> {
	const agent = await ground.start(place);
	const client = await welcomed(place, agent);
	const { sessions } = await client.request("sessions.list", {});
	const watch = await client.watch("session.watch", { session: sessions[0]!.id }, { onValue() {} });
	const mb = await settledMb(agent.pid);
	watch.stop();
	await shutDown(client, agent);
	return mb;
}

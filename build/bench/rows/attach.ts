import { LONG_AND_SHORT } from "../fixture/shapes.ts";
import type { Row } from "../row.ts";
import { interleaved, median } from "../statistics.ts";
import { shutDown, welcomed } from "../welcome.ts";

const WARM_UP = 20;
/** As many as the short session has, so that both snapshots show the same. */
const TAIL = 100;

export const attach: Row = {
	name: "attach",
	async measure(ground) {
		const place = await ground.place(LONG_AND_SHORT);
		const agent = await ground.start(place);
		const client = await welcomed(place, agent);
		const { sessions } = await client.request("sessions.list", {});
		// The newest activity first: the long one was made first, and worked in for far longer.
		const [long, short] = sessions.map(({ id }) => id);
		const snapshot = (session: string) => async () => {
			const begun = performance.now();
			const watch = await client.watch("session.watch", { session, tail: TAIL }, { onValue() {} });
			const took = performance.now() - begun;
			watch.stop();
			return took;
		};
		const measures = [snapshot(long!), snapshot(short!)];
		await interleaved(WARM_UP, measures);
		const [withMany, withFew] = (await interleaved(ground.quick ? 20 : 200, measures)).map(median);
		await shutDown(client, agent);
		return [
			{
				name: "attach",
				value: withMany! / withFew!,
				unit: "×",
				goal: 1.3,
				from: { "100,000 entries ms": withMany!, "100 entries ms": withFew! },
			},
		];
	},
};

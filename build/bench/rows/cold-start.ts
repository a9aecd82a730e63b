import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AgentPlace } from "../../../agent/testing/agent-process.ts";
import { LARGE } from "../fixture/shapes.ts";
import type { Ground } from "../ground.ts";
import type { Row } from "../row.ts";
import { interleaved, median } from "../statistics.ts";
import { shutDown, welcomed } from "../welcome.ts";

export const coldStart: Row = {
	name: "cold start",
	async measure(ground) {
		const place = await ground.place(LARGE);
		let listed: number[] = [];
		const start = async () => {
			const { welcome, list } = await startAgent(ground, place);
			listed.push(list);
			return welcome;
		};
		await start();
		listed = [];
		const [node, welcome] = (await interleaved(ground.quick ? 3 : 15, [startNode, start])).map(median);
		return [
			{
				name: "cold start",
				value: welcome! / node!,
				unit: "×",
				goal: 5,
				from: { "welcome ms": welcome!, "node -e 0 ms": node!, "list of sessions ms": median(listed) },
			},
		];
	},
};

/** From the start of the process to the welcome, and to the first page of its sessions, in ms. */
export async function startAgent(
	ground: Ground,
	place: AgentPlace,
): Promise<{ readonly welcome: number; readonly list: number }> {
	const begun = performance.now();
	const agent = await ground.start(place);
	const client = await welcomed(place, agent);
	const welcome = performance.now() - begun;
	await client.request("sessions.list", {});
	const list = performance.now() - begun;
	await shutDown(client, agent);
	return { welcome, list };
}

async function startNode(): Promise<number> {
	const begun = performance.now();
	await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit");
	return performance.now() - begun;
}

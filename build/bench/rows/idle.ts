import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { backupName } from "../../../agent/durable/storage/sqlite/backup-files.ts";
import { dataPaths } from "../../../agent/platform/data-directory.ts";
import type { AgentPlace } from "../../../agent/testing/agent-process.ts";
import { HUNDRED } from "../fixture/shapes.ts";
import { cpuMs, wakeUps } from "../process-use.ts";
import type { Figure, Row } from "../row.ts";
import { shutDown, welcomed } from "../welcome.ts";

const MINUTE_MS = 60_000;
/** Some ten and twenty seconds after the last work V8 tidies its memory. */
const REST_MS = 30_000;

export const idle: Row = {
	name: "idle",
	async measure({ quick, place: makePlace, start }) {
		const place = await makePlace(HUNDRED);
		haveBackup(place);
		const agent = await start(place);
		const client = await welcomed(place, agent);
		const watch = await client.watch("sessions.watch", {}, { onValue() {} });
		const node = spawn(process.execPath, ["-e", "setInterval(() => {}, 2 ** 30)"], { stdio: "ignore" });
		try {
			await pause(REST_MS);
			const length = quick ? MINUTE_MS / 6 : MINUTE_MS;
			const before = [use(agent.pid), use(node.pid!)] as const;
			await pause(length);
			const after = [use(agent.pid), use(node.pid!)] as const;
			const [agentUse, nodeUse] = after.map(({ cpu, wakes }, index) => ({
				cpu: ((cpu - before[index]!.cpu) / length) * 100,
				wakes: ((wakes - before[index]!.wakes) / length) * MINUTE_MS,
			}));
			watch.stop();
			await shutDown(client, agent);
			return figures(agentUse!, nodeUse!);
		} finally {
			node.kill("SIGKILL");
		}
	},
};

/** A copy of today, so that the agent doesn't make one in the minute that is measured. */
function haveBackup({ dataDirectory }: AgentPlace): void {
	const { store, backups } = dataPaths(dataDirectory);
	mkdirSync(backups, { mode: 0o700 });
	copyFileSync(store, join(backups, backupName(Date.now())));
}

type Use = { readonly cpu: number; readonly wakes: number };

function use(pid: number): Use {
	return { cpu: cpuMs(pid), wakes: wakeUps(pid) ?? Number.NaN };
}

function figures(agent: Use, node: Use): Figure[] {
	const cpu: Figure = {
		name: "idle",
		value: agent.cpu - node.cpu,
		unit: "% of a core",
		goal: 0.1,
		from: { "agent %": agent.cpu, "idle Node %": node.cpu },
	};
	// A timer under ten seconds would wake it more than six times a minute.
	const wakes: Figure = {
		name: "idle, wake-ups",
		value: agent.wakes - node.wakes,
		unit: "a minute",
		goal: 6,
		from: { agent: agent.wakes, "idle Node": node.wakes },
	};
	return Number.isNaN(wakes.value) ? [cpu] : [cpu, wakes];
}

import { type AgentInfo, exitCodeOf, ProtocolError } from "../../protocol/index.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { bytes } from "../output/bytes.ts";
import { duration } from "../output/time-words.ts";
import { openLink } from "../reach/link.ts";

/** `status`: what the agent is doing. It never starts one. */
export async function run(call: Call<object, object>): Promise<ExitCode> {
	let info: AgentInfo;
	try {
		info = await askAgent(call);
	} catch (error) {
		if (error instanceof ProtocolError) return sayUnreachable(error, call);
		throw error;
	}
	const { version, pid, protocol, startedAt, dataDirectory, socket, sessions, rss, health, ending } = info;
	const { total, running } = sessions;
	call.output.result(
		{
			running: true,
			pid,
			version,
			protocol,
			startedAt,
			dataDirectory,
			socket,
			sessions: { total, running },
			rss,
			health,
			...(ending === undefined ? {} : { ending }),
		},
		() => inWords(info),
	);
	return 0;
}

async function askAgent({ place }: Call<object, object>): Promise<AgentInfo> {
	const link = await openLink(place, { start: false });
	try {
		return await link.ask("agent.info", {});
	} finally {
		link.close();
	}
}

/** That there is none is proved by `not_running` alone; anything else leaves it open. */
function sayUnreachable(error: ProtocolError, { output, place }: Call<object, object>): ExitCode {
	const { code, message } = error;
	if (code === "not_running") {
		output.result({ running: false }, () => `No agent is running for ${place.data.directory}.`);
		if (output.json) output.note(message);
		return 3;
	}
	const running = code === "protocol_mismatch" ? true : "unknown";
	if (output.json) output.result({ running, error: { code, message } }, () => "");
	output.note(message);
	return exitCodeOf(code);
}

function inWords(info: AgentInfo): string {
	const { sessions, health } = info;
	const counts = [
		`${sessions.total} in all`,
		`${sessions.running} running`,
		`${sessions.waiting} waiting`,
		`${sessions.needsYou} need you`,
	];
	const problems = health.problems.map(
		({ message, fix }) => `  ${message}${fix === undefined ? "" : ` ${fix}`}`,
	);
	return [
		`The agent runs: process ${info.pid}, version ${info.version}, for ${duration(info.uptimeMs)}.`,
		...(info.ending === "idle" ? ["It was told to end, or to hand over, once no session is running."] : []),
		`sessions   ${counts.join(", ")}`,
		`memory     ${bytes(info.rss)}`,
		`disk       ${bytes(health.disk.freeBytes)} free (${health.disk.state})`,
		`database   ${bytes(health.database.bytes)} (${health.database.state})`,
		`data       ${info.dataDirectory}`,
		...(problems.length === 0 ? [] : ["problems", ...problems]),
	].join("\n");
}

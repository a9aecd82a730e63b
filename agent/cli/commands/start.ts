import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { openLink } from "../reach/link.ts";

/** `start`: starts the agent if none runs. */
export async function run({ place, output }: Call<object, object>): Promise<ExitCode> {
	const link = await openLink(place, { start: true });
	try {
		const { welcome, started } = link;
		output.result(
			{
				started,
				pid: welcome.pid,
				version: welcome.agent,
				protocol: welcome.protocol,
				startedAt: welcome.startedAt,
				dataDirectory: place.data.directory,
				socket: place.data.socket,
			},
			() =>
				`${started ? "The agent was started" : "The agent is running already"}: process ${welcome.pid}, ` +
				`version ${welcome.agent}.`,
		);
		return 0;
	} finally {
		link.close();
	}
}

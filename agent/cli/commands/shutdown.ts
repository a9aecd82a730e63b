import { type Ending, ProtocolError } from "../../protocol/index.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { type Link, openLink } from "../reach/link.ts";
import { untilGone } from "../reach/until-gone.ts";

/** `shutdown`: ends the agent; what runs goes on and is taken up by the next one. It never starts one. */
export async function run({
	options,
	place,
	output,
}: Call<object, { readonly now: boolean }>): Promise<ExitCode> {
	const link = await openLink(place, { start: false });
	try {
		const { pid } = link.welcome;
		const ending = await tellToEnd(link, options.now ? "now" : "idle");
		const soon = ending.when === "now" || ending.running === 0;
		const ended = soon && (await untilGone(link, pid));
		output.result({ ...ending, ended }, () => {
			if (ended) return "The agent has ended.";
			if (soon) return `The agent (process ${pid}) is ending and takes its time.`;
			return `The agent ends when it is idle; running now: ${ending.running}. Not to wait: outlive shutdown --now`;
		});
		return 0;
	} finally {
		link.close();
	}
}

/** An agent that is gone before it has answered has done what it was told. */
async function tellToEnd(link: Link, when: Ending["when"]): Promise<Ending> {
	try {
		return await link.ask("agent.shutdown", { when });
	} catch (error) {
		if (error instanceof ProtocolError && error.code === "connection_lost") return { when, running: 0 };
		throw error;
	}
}

import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { withLink } from "../reach/link.ts";
import { findSession } from "../session/find-session.ts";

/**
 * `stop`: ends what a session is doing, with `--background` what its subagents in the background do too, or with `--call`
 * only what a finished call left running; waits until it has.
 */
export async function run({
	positionals,
	options,
	place,
	output,
}: Call<
	{ readonly SESSION: string },
	{ readonly call: string | undefined; readonly background: boolean }
>): Promise<ExitCode> {
	return withLink(place, async (link) => {
		const session = await findSession(link, positionals.SESSION, place.here);
		const { call, background } = options;
		const { stopped } = await link.order("session.stop", {
			session,
			...(call === undefined ? {} : { call }),
			...(background ? { background } : {}),
		});
		output.result({ stopped }, () => (stopped ? "Stopped." : "There was nothing to stop."));
		return 0;
	});
}

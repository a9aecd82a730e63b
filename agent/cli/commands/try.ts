import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { withLink } from "../reach/link.ts";
import { findSession } from "../session/find-session.ts";

/** `try`: ends a session's wait before its next attempt, whatever it waits for. */
export async function run({
	positionals,
	place,
	output,
}: Call<{ readonly SESSION: string }, Record<never, never>>): Promise<ExitCode> {
	return withLink(place, async (link) => {
		const session = await findSession(link, positionals.SESSION, place.here);
		const { tried } = await link.ask("session.tryNow", { session });
		output.result({ tried }, () => (tried ? "It tries now." : "It doesn't wait for another attempt."));
		return 0;
	});
}

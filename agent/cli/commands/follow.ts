import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { leftWords } from "../follow/after-sending.ts";
import { createEventSink } from "../follow/event-sink.ts";
import { followSession } from "../follow/follow-session.ts";
import { untilInterrupted } from "../leaving.ts";
import { withLink } from "../reach/link.ts";
import { findSession } from "../session/find-session.ts";
import { createReadMark } from "../session/read-mark.ts";

/** `follow`: what happens in a session from its newest message on, as it happens, until Ctrl-C. */
export async function run({
	positionals,
	place,
	output,
}: Call<{ readonly SESSION: string }, object>): Promise<ExitCode> {
	return withLink(place, async (link) => {
		const session = await findSession(link, positionals.SESSION, place.here);
		const sink = createEventSink(output);
		const mark = createReadMark(link, session, output);
		const leaving = untilInterrupted();
		const following = followSession(
			link,
			session,
			{ from: "newest_message" },
			{ ...sink, onView: (view) => void mark.read(view) },
		);
		try {
			await Promise.race([following.lost, leaving.interrupted]);
			sink.note(leftWords(session));
			return 0;
		} finally {
			following.stop();
			leaving.end();
		}
	});
}

import { openLink } from "../app/open-link.ts";
import { CliError } from "../cli-error.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { printableLine } from "../output/printable.ts";
import { withLink } from "../reach/link.ts";
import { findSession } from "../session/find-session.ts";

/** `open`: brings a session up in the app's window. */
export async function run({
	positionals,
	place,
	output,
}: Call<{ readonly SESSION: string }, object>): Promise<ExitCode> {
	const { session, title } = await withLink(place, async (link) => {
		const id = await findSession(link, positionals.SESSION, place.here);
		const { sessions } = await link.ask("sessions.list", { idPrefix: id, archived: true, limit: 200 });
		const found = sessions.find((each) => each.id === id);
		if (found === undefined)
			throw new CliError(
				"not_found",
				4,
				`There is no session ${printableLine(id)}. List them with: outlive ls`,
			);
		return { session: id, title: found.title };
	});
	const link = `outlive://session/${encodeURIComponent(session)}`;
	if (!(await openLink(link, place)))
		throw new CliError(
			"app_missing",
			3,
			"The app could not be opened here: it isn't installed, or there is no display. " +
				"To see the session in a browser, run: outlive web --open",
		);
	output.result({ session, link }, () => `The app shows session ${session}: ${printableLine(title)}`);
	return 0;
}

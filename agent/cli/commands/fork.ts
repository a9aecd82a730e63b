import { CliError } from "../cli-error.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { type Link, withLink } from "../reach/link.ts";
import { findSession } from "../session/find-session.ts";
import { exactlyOnce, requestId } from "../session/request-id.ts";

type Values = { readonly at: string | undefined; readonly "request-id": string | undefined };

/** `fork`: a new session that begins with what another has said, made exactly once. */
export async function run({
	positionals,
	options,
	place,
	output,
}: Call<{ readonly SESSION: string }, Values>): Promise<ExitCode> {
	const id = requestId(options["request-id"]);
	return withLink(place, async (link) => {
		const parent = await findSession(link, positionals.SESSION, place.here);
		const at = options.at ?? (await newestEntry(link, parent));
		const { session } = await exactlyOnce(id, () =>
			link.ask("session.fork", { session: parent, at, requestId: id }),
		);
		output.result({ session }, () => session);
		output.tip(`Go on in it with: outlive attach ${session}`);
		return 0;
	});
}

/** Every id is below it. */
const AFTER_ALL = String(Number.MAX_SAFE_INTEGER);

async function newestEntry(link: Link, session: string): Promise<string> {
	const { entries } = await link.ask("session.entries", { session, before: AFTER_ALL, limit: 1 });
	const newest = entries.at(-1);
	if (newest !== undefined) return newest.id;
	throw new CliError(
		"not_found",
		4,
		`Session ${session} has said nothing yet, so there is nothing to fork; begin another with: outlive new`,
	);
}

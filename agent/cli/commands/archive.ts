import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { printableLine } from "../output/printable.ts";
import { listedSession } from "../session/listed-session.ts";
import { configure } from "./configure.ts";

/** `archive`: takes a session out of the list, or with `--undo` back into it. Nothing is deleted. */
export async function run({
	positionals,
	options,
	place,
	output,
}: Call<{ readonly SESSION: string }, { readonly undo: boolean }>): Promise<ExitCode> {
	const session = await configure(place, positionals.SESSION, { archived: !options.undo });
	output.result(listedSession(session), () =>
		session.archived
			? `Archived: ${printableLine(session.title)} (back with: outlive archive ${session.id} --undo)`
			: `Back in the list: ${printableLine(session.title)}`,
	);
	return 0;
}

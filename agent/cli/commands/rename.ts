import { wrongUsage } from "../cli-error.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { printableLine } from "../output/printable.ts";
import { listedSession } from "../session/listed-session.ts";
import { configure } from "./configure.ts";

/** `rename`: gives a session a title, which nothing but a person replaces from then on. */
export async function run({
	positionals,
	place,
	output,
}: Call<{ readonly SESSION: string; readonly TITLE: string }, object>): Promise<ExitCode> {
	if (positionals.TITLE.trim() === "") throw wrongUsage("TITLE is empty; give the session a name.");
	const session = await configure(place, positionals.SESSION, { title: positionals.TITLE });
	output.result(listedSession(session), () => `${session.id} is now called: ${printableLine(session.title)}`);
	return 0;
}

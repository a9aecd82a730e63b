import { attachPiped } from "../attach/piped-attach.ts";
import { attachTerminal } from "../attach/terminal-attach.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Output } from "../output/output.ts";
import { withLink } from "../reach/link.ts";
import { findSession } from "../session/find-session.ts";

/** `attach`: follow a session and reply; without a terminal its standard input is what is sent. */
export async function run({
	positionals,
	place,
	output,
}: Call<{ readonly SESSION: string }, object>): Promise<ExitCode> {
	return withLink(place, async (link) => {
		const session = await findSession(link, positionals.SESSION, place.here);
		const words = `You left; the session goes on. Come back with: outlive attach ${session}`;
		if (hasEditor(output, place.env)) {
			await attachTerminal(link, session, output);
			output.say(words);
			return 0;
		}
		const { exit, left } = await attachPiped(link, session, output);
		if (left) output.say(words);
		return exit;
	});
}

/** A line editor needs a terminal on both sides, and one that can move its cursor. */
function hasEditor({ json, stdout }: Output, env: NodeJS.ProcessEnv): boolean {
	return !json && process.stdin.isTTY === true && stdout.isTTY === true && env.TERM !== "dumb";
}

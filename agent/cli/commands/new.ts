import { resolve } from "node:path";
import { wrongUsage } from "../cli-error.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { followAnswer, waitForAnswer } from "../follow/after-sending.ts";
import { withLink } from "../reach/link.ts";
import { exactlyOnce, requestId } from "../session/request-id.ts";
import { textArgument } from "../session/text-argument.ts";

type Positionals = { readonly DIR: string | undefined; readonly PROMPT: string | undefined };
type Values = {
	readonly model: string | undefined;
	readonly title: string | undefined;
	readonly "request-id": string | undefined;
	readonly wait: boolean;
	readonly follow: boolean;
};

/** `new`: a session in a folder and, with a prompt, its first message, in one step that happens exactly once. */
export async function run({
	positionals,
	options,
	place,
	output,
}: Call<Positionals, Values>): Promise<ExitCode> {
	const { PROMPT } = positionals;
	if (PROMPT === undefined && (options.wait || options.follow))
		throw wrongUsage(
			`--${options.wait ? "wait" : "follow"} needs a PROMPT to wait for: outlive new DIR PROMPT`,
		);
	const content = PROMPT === undefined ? undefined : await textArgument(PROMPT, "PROMPT");
	const id = requestId(options["request-id"]);
	const { model, title } = options;
	return withLink(place, async (link) => {
		const created = await exactlyOnce(id, () =>
			link.ask("sessions.create", {
				directory: folder(positionals.DIR, place.here),
				...(title === undefined ? {} : { title }),
				...(model === undefined ? {} : { model }),
				...(content === undefined ? {} : { content }),
				requestId: id,
			}),
		);
		const { session, submission } = created;
		if (submission === null || (!options.wait && !options.follow)) {
			output.result({ session, submission }, () => session);
			output.tip(`Talk to it with: outlive attach ${session}`);
			return 0;
		}
		const sent = { link, output, session, submission };
		if (options.wait) return waitForAnswer(sent, { session, submission });
		if (output.json) output.result({ session, submission }, () => "");
		return followAnswer(sent);
	});
}

/** The agent resolves what begins with a tilde: a shell didn't, so the path is as the person wrote it. */
function folder(given: string | undefined, here: string): string {
	if (given === undefined) return here;
	return given === "~" || given.startsWith("~/") ? given : resolve(here, given);
}

import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { followAnswer, waitForAnswer } from "../follow/after-sending.ts";
import { withLink } from "../reach/link.ts";
import { findSession } from "../session/find-session.ts";
import { exactlyOnce, requestId } from "../session/request-id.ts";
import { textArgument } from "../session/text-argument.ts";

type Positionals = { readonly SESSION: string; readonly TEXT: string };
type Values = {
	readonly "when-busy": "follow-up" | "steer" | "reject" | undefined;
	readonly "request-id": string | undefined;
	readonly wait: boolean;
	readonly follow: boolean;
};

const WHEN_BUSY = { "follow-up": "followUp", steer: "steer", reject: "reject" } as const;

/** `send`: a message to a session, taken exactly once. */
export async function run({
	positionals,
	options,
	place,
	output,
}: Call<Positionals, Values>): Promise<ExitCode> {
	const content = await textArgument(positionals.TEXT, "TEXT");
	const id = requestId(options["request-id"]);
	const whenBusy = options["when-busy"];
	return withLink(place, async (link) => {
		const session = await findSession(link, positionals.SESSION, place.here);
		const { submission } = await exactlyOnce(id, () =>
			link.ask("session.send", {
				session,
				content,
				requestId: id,
				...(whenBusy === undefined ? {} : { whenBusy: WHEN_BUSY[whenBusy] }),
			}),
		);
		const sent = { link, output, session, submission };
		if (options.wait) return waitForAnswer(sent, { submission });
		if (output.json || !options.follow) output.result({ submission }, () => submission);
		if (options.follow) return followAnswer(sent);
		output.tip(`See what comes of it with: outlive follow ${session}`);
		return 0;
	});
}

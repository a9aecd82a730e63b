import { randomUUID } from "node:crypto";
import type { Link } from "../reach/link.ts";

/** The messages sent from here, each exactly once. */
export function createMessages(link: Link, session: string) {
	const own = new Set<string>();
	/** Texts on their way: a view may show one before its submission is known. */
	const onTheirWay: string[] = [];

	return {
		/** Resolves with the submission once the message is stored. */
		async send(text: string, steer: boolean): Promise<string> {
			onTheirWay.push(text);
			try {
				const { submission } = await link.ask("session.send", {
					session,
					content: text,
					requestId: randomUUID(),
					whenBusy: steer ? "steer" : "followUp",
				});
				own.add(submission);
				return submission;
			} finally {
				onTheirWay.splice(onTheirWay.indexOf(text), 1);
			}
		},
		/** Whether a message was sent from here. */
		isOwn: (submission: string | undefined, text: string): boolean =>
			(submission !== undefined && own.has(submission)) || onTheirWay.includes(text),
	};
}

import type { SessionView } from "../../protocol/index.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { createEventSink } from "../follow/event-sink.ts";
import { createViewReader } from "../follow/view-reader.ts";
import type { Output } from "../output/output.ts";
import { type Link, withLink } from "../reach/link.ts";
import { collect, entrySource } from "../session/entry-source.ts";
import { findSession } from "../session/find-session.ts";
import { createReadMark } from "../session/read-mark.ts";
import { shownEntry } from "../session/shown-entry.ts";
import { watchSession } from "../session/watch-session.ts";

/** `show`: the transcript as it is now; with `--all` from its beginning, however long it is. */
export async function run({
	positionals,
	options,
	place,
	output,
}: Call<{ readonly SESSION: string }, { readonly all: boolean }>): Promise<ExitCode> {
	return withLink(place, async (link) => {
		const session = await findSession(link, positionals.SESSION, place.here);
		const view = await wholeView(link, session, await currentView(link, session), options.all);
		if (output.json) output.result(shownView(view), () => "");
		else await printView(view, link, session, output);
		await createReadMark(link, session, output).read(view);
		return 0;
	});
}

function currentView(link: Link, session: string): Promise<SessionView> {
	return new Promise((resolve, reject) => {
		const stop = watchSession(link, session, {
			onView(view) {
				stop();
				resolve(view);
			},
			onLost: reject,
		});
	});
}

/** The view with all text of its entries and, if wanted, with all entries. */
async function wholeView(link: Link, session: string, view: SessionView, all: boolean): Promise<SessionView> {
	const first = view.entries[0];
	const older =
		all && view.hasOlder && first !== undefined ? await collect(link, session, { before: first.id }) : [];
	const { whole } = entrySource(link, session);
	const entries = [];
	for (const entry of [...older, ...view.entries]) entries.push(await whole(entry));
	return { ...view, entries, hasOlder: view.hasOlder && !all };
}

/** What `show --json` prints; scripts rely on it. */
function shownView({ session, entries, live, inbox, usage }: SessionView) {
	const { partial, retry, tools } = live;
	return {
		session: session.id,
		entries: entries.map(shownEntry),
		live: {
			...(partial === undefined ? {} : { partial }),
			...(retry === undefined ? {} : { retry: { attempt: retry.attempt, max: retry.max, at: retry.at } }),
			tools: tools.map(({ name, output, runner, conversation }) => ({
				name,
				output,
				...(runner === undefined ? {} : { runner }),
				...(conversation === undefined ? {} : { conversation }),
			})),
		},
		inbox: inbox.map(({ submission, text, mode }) => ({ submission, text, mode })),
		usage,
	};
}

async function printView(view: SessionView, link: Link, session: string, output: Output): Promise<void> {
	const sink = createEventSink(output);
	const reader = createViewReader(entrySource(link, session), { from: "oldest" });
	const events = [...(await reader.next(view)), ...reader.settle()];
	for (const [at, event] of events.entries()) {
		sink.onEvent(event);
		if (at === 0 && view.hasOlder) sink.note(`there is more before this: outlive show ${session} --all`);
	}
	sink.end();
}

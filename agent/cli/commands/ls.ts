import { retryWords, type SessionState, type SessionSummary } from "../../protocol/index.ts";
import type { Call } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Output } from "../output/output.ts";
import { printableLine } from "../output/printable.ts";
import { table } from "../output/table.ts";
import { ago, clockTime } from "../output/time-words.ts";
import { withLink } from "../reach/link.ts";
import { eachSession } from "../session/each-session.ts";
import { listedSession } from "../session/listed-session.ts";

/** `ls`: the sessions, newest activity first; with `--all` the archived ones too. */
export async function run({
	options,
	place,
	output,
}: Call<object, { readonly all: boolean }>): Promise<ExitCode> {
	return withLink(place, async (link) => {
		const sessions: SessionSummary[] = [];
		for await (const session of eachSession(link, { archived: options.all })) sessions.push(session);
		if (sessions.length === 0 && !output.json)
			output.note("There are no sessions yet; begin one with: outlive new");
		else output.result(sessions.map(listedSession), () => inWords(sessions, output));
		return 0;
	});
}

function inWords(sessions: readonly SessionSummary[], { stdout }: Output): string {
	const now = Date.now();
	const rows = sessions.map((session) => [
		session.id,
		stateWords(session, now),
		printableLine(session.title),
		session.model ?? "no model",
		ago(session.updatedAt, now),
		printableLine(session.directory),
	]);
	return table(
		[["SESSION", "STATE", "TITLE", "MODEL", "ACTIVE", "FOLDER"], ...rows],
		stdout.isTTY ? stdout.columns : undefined,
	);
}

function stateWords({ state, archived, unread }: SessionSummary, now: number): string {
	const words = kindWords(state, now);
	if (archived) return `${words}, archived`;
	return unread && state.kind === "idle" ? `${words}, unread` : words;
}

function kindWords(state: SessionState, now: number): string {
	switch (state.kind) {
		case "needs_you":
			return "needs you";
		case "waiting":
			return state.for === "slot"
				? "waiting for a slot"
				: `${waitWords(state)}, waiting until ${clockTime(state.until, now)}`;
		default:
			return state.kind;
	}
}

function waitWords(state: Extract<SessionState, { kind: "waiting"; until: number }>): string {
	switch (state.for) {
		case "limit":
			return "plan limit";
		case "network":
			return "no network";
		case "retry":
			return retryWords(state.cause).fragment;
	}
}

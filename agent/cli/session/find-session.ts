import { realpathSync } from "node:fs";
import { ProtocolError, type SessionSummary } from "../../protocol/index.ts";
import { CliError } from "../cli-error.ts";
import { printableLine } from "../output/printable.ts";
import type { Link } from "../reach/link.ts";
import { eachSession } from "./each-session.ts";

const MOST_NAMED = 4;

/**
 * What a person means by SESSION: an id, the unambiguous start of one, or `@` for the one in this folder that was
 * active last. A text that is neither is handed on as it is: it may name a subagent's conversation, which no list of
 * sessions holds, and the agent says so if there is no such thing.
 *
 * @param here the folder the person is in, absolute
 * @returns the id; rejects with a `CliError`: 4 for `@` in a folder without sessions, 2 for an ambiguous start
 */
export async function findSession(link: Link, text: string, here: string): Promise<string> {
	return text === "@" ? newestIn(link, here) : byStart(link, text);
}

async function newestIn(link: Link, here: string): Promise<string> {
	const directory = resolved(here);
	// The agent lists the newest activity first.
	for await (const { id, directory: its } of eachSession(link, { archived: false }))
		if (its === directory) return id;
	throw new CliError(
		"not_found",
		4,
		`There is no session in ${printableLine(here)} yet; begin one with: outlive new`,
	);
}

async function byStart(link: Link, text: string): Promise<string> {
	if (text === "" || text.length > 200) return text;
	const { sessions } = await link.ask("sessions.list", { idPrefix: text, archived: true, limit: 200 });
	const [first, second] = sessions;
	if (first === undefined || sessions.some(({ id }) => id === text)) return text;
	if (await isSubagent(link, text)) return text;
	if (second === undefined) return first.id;
	const named = sessions.slice(0, MOST_NAMED).map(describe);
	const rest = sessions.length > named.length ? ", and more" : "";
	throw new CliError(
		"ambiguous_session",
		2,
		`Several sessions begin with ${JSON.stringify(text)}: ${named.join(", ")}${rest}; give more of the id.`,
	);
}

/** Whether it is the whole id of a conversation that is in no list of sessions. */
async function isSubagent(link: Link, text: string): Promise<boolean> {
	try {
		await link.ask("session.entries", { session: text, before: "1", limit: 1 });
		return true;
	} catch (error) {
		if (error instanceof ProtocolError && error.code === "not_found") return false;
		throw error;
	}
}

function describe({ id, title }: SessionSummary): string {
	return `${id} (${printableLine(title)})`;
}

/** As the agent states folders: without symlinks. A folder that is gone has no sessions to find. */
function resolved(folder: string): string {
	try {
		return realpathSync(folder);
	} catch {
		// Gone, or not to be looked at: sessions may still name it as it is written.
		return folder;
	}
}

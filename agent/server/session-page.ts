import { protocolError } from "../protocol/index.ts";
import type { SessionSnapshot } from "../sessions/service.ts";

const DEFAULT_LIMIT = 50;

export type SessionQuery = {
	/** Words to look for in titles, all of them. */
	readonly query?: string | undefined;
	readonly idPrefix?: string | undefined;
	/** The folder of a project, resolved. */
	readonly project?: string | undefined;
	readonly cursor?: string | undefined;
	readonly limit?: number | undefined;
};

/**
 * One page of the sessions that match, newest activity first. The cursor names the last one shown by its place in that
 * order, so that a page stays right when sessions come, go or move meanwhile. Throws `invalid_params` for a cursor that
 * no page gave out.
 */
export function findSessions(snapshots: readonly SessionSnapshot[], query: SessionQuery) {
	const { cursor, limit = DEFAULT_LIMIT } = query;
	const matching = snapshots.filter((snapshot) => matches(snapshot, query)).sort(newestFirst);
	const after = cursor === undefined ? undefined : readCursor(cursor);
	const rest = after === undefined ? matching : matching.filter((each) => newestFirst(after, each) < 0);
	const sessions = rest.slice(0, limit);
	const last = sessions.at(-1);
	return {
		sessions,
		cursor: rest.length > limit && last !== undefined ? `${last.updatedAt}-${last.id}` : null,
		total: matching.length,
	};
}

function matches(snapshot: SessionSnapshot, { query = "", idPrefix = "", project }: SessionQuery): boolean {
	const title = snapshot.record.title.toLowerCase();
	const words = query.toLowerCase().split(/\s+/);
	return (
		words.every((word) => title.includes(word)) &&
		String(snapshot.id).startsWith(idPrefix) &&
		(project === undefined || snapshot.record.directory === project)
	);
}

type Place = Pick<SessionSnapshot, "updatedAt" | "id">;

function newestFirst(left: Place, right: Place): number {
	return right.updatedAt - left.updatedAt || right.id - left.id;
}

function readCursor(cursor: string): Place {
	const match = /^(\d{1,16})-(\d{1,16})$/.exec(cursor);
	if (match === null)
		throw protocolError(
			"invalid_params",
			'sessions.list: "cursor" must be the cursor of the page before, unchanged. Ask for the first page without one.',
		);
	return { updatedAt: Number(match[1]), id: Number(match[2]) as Place["id"] };
}

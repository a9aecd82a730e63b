import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { SessionSummary } from "../../protocol/index.ts";
import type { TestPlace } from "./place.ts";
import { outlive } from "./run-outlive.ts";
import type { Handler } from "./test-agent.ts";
import { summary } from "./views.ts";

/** The list of sessions in pages of two, as the agent answers it. */
export function listOf(sessions: readonly SessionSummary[]): Handler {
	return ({ idPrefix, archived, cursor }) => {
		const found = sessions.filter(
			(each) => (archived === true || !each.archived) && each.id.startsWith(String(idPrefix ?? "")),
		);
		const from = Number(cursor ?? 0);
		const next = from + 2 < found.length ? String(from + 2) : null;
		return { sessions: found.slice(from, from + 2), cursor: next, total: found.length };
	};
}

/** Handlers of an agent with one session, `7`. */
export const ONE = { "sessions.list": listOf([summary()]) };

/** Runs with `--json` and returns what was printed, which must be one value on one line. */
export async function json(context: TestContext, place: TestPlace, args: readonly string[], options = {}) {
	const { code, stdout, stderr } = await outlive(context, place, [...args, "--json"], options);
	assert.match(stdout, /^[^\n]+\n$/, stderr);
	return { code, value: JSON.parse(stdout), stderr };
}

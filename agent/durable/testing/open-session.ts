import type { TestContext } from "node:test";
import { BACKGROUND_CONTEXT as context } from "@earendil-works/chord/context";
import { systemClock } from "../clock.ts";
import { openSession, type SessionCore } from "../session/session.ts";
import type { Storage } from "../types/storage.ts";
import { defineTask } from "../types/tasks.ts";

/** A session over a storage, without the harness above it; closed after the test. */
export function openTestSession(
	t: TestContext,
	storage: Storage,
	report?: (error: unknown) => void,
): SessionCore {
	const session = openSession(storage, systemClock, {}, report);
	t.after(() => session.close(context));
	return session;
}

/** A task to own things: nothing runs it. */
export const Work = defineTask<null, { phase: "only" }, null>({
	name: "test.work",
	version: 1,
	initial: () => ({ phase: "only" }),
	phases: { only: async () => {} },
	abort: async () => {},
});

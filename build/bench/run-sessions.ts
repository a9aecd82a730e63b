import type { Client, SessionView } from "../../agent/protocol/index.ts";
import type { AgentPlace } from "../../agent/testing/agent-process.ts";

/** Creates sessions and sends each a message, all at once; resolves with their ids. */
export async function runSessions(
	client: Client,
	{ project }: AgentPlace,
	count: number,
	content: string,
): Promise<string[]> {
	const created = Array.from({ length: count }, () =>
		client.request("sessions.create", { directory: project, content, requestId: crypto.randomUUID() }),
	);
	return (await Promise.all(created)).map(({ session }) => session);
}

const LONGEST_MS = 120_000;

/**
 * Watches sessions until something holds for each of them. Rejects when a watch ends first, or after two minutes with
 * how many there are left.
 */
export async function untilEach(
	client: Client,
	sessions: readonly string[],
	holds: (view: SessionView) => boolean,
): Promise<void> {
	let left = sessions.length;
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	const timer = setTimeout(
		() =>
			reject(new Error(`After ${LONGEST_MS} ms ${left} of ${sessions.length} sessions are not there yet.`)),
		LONGEST_MS,
	);
	const watching = sessions.map(async (session) => {
		let held = false;
		const onValue = (view: SessionView) => {
			if (held || !holds(view)) return;
			held = true;
			left--;
			if (left === 0) resolve();
		};
		return client.watch("session.watch", { session, tail: 4 }, { onValue, onEnd: reject });
	});
	try {
		const watches = await Promise.all(watching);
		await promise;
		for (const watch of watches) watch.stop();
	} finally {
		clearTimeout(timer);
	}
}

/** Whether an answer is coming in. */
export function isStreaming({ live }: SessionView): boolean {
	return (live.partial?.text ?? "") !== "";
}

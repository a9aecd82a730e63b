import {
	type ConnectionState,
	createReconnectingClient,
	type MethodName,
	type ReconnectingClient,
	type RetryPolicy,
} from "../../agent/protocol/index.ts";
import type { PageHost } from "../page-host.ts";

const FIRST_WAIT_MS = 150;
const LONGEST_WAIT_MS = 5000;

/** The window never gives up: an agent, a relay or the app may come back at any time. */
export const keepTrying: RetryPolicy = (_failure, attempt) =>
	Math.min(FIRST_WAIT_MS * 1.5 ** (attempt - 1), LONGEST_WAIT_MS);

/** The client, and how its connection stands. */
export function createConnection(host: PageHost) {
	const client: ReconnectingClient = createReconnectingClient({
		client: host.client,
		connect: host.connect,
		policy: keepTrying,
	});
	let state = $state.raw<ConnectionState>(client.state);
	let wasConnected = $state(false);
	let capabilities = $state.raw<ReadonlySet<string>>(new Set());

	client.onState((next) => {
		// An attempt after a loss looks like the loss until it succeeds, so that nothing flickers.
		if (next.kind === "connecting" && (state.kind === "gone" || state.kind === "mismatch")) return;
		state = next;
		if (next.kind !== "connected") return;
		wasConnected = true;
		capabilities = new Set(next.welcome.capabilities);
	});

	return {
		client,
		get state() {
			return state;
		},
		get isConnected() {
			return state.kind === "connected";
		},
		/** Whether there ever was a connection since the page was opened. */
		get wasConnected() {
			return wasConnected;
		},
		/** Whether the agent does something for a method; a control without it isn't drawn. */
		can(method: MethodName): boolean {
			return capabilities.has(method);
		},
	};
}

export type Connection = ReturnType<typeof createConnection>;

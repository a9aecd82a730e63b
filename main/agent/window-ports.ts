import { type PausableTransport, ProtocolError, protocolError } from "../../agent/protocol/index.ts";
import type { PortAnswer } from "../../renderer/host.ts";
import { type RelayPort, relay } from "./relay.ts";

/** A way from main to one window. */
export type WindowEnd = {
	/** Answers a request for a port; with one, the other end of the channel that `openPort` made goes along. */
	answer(answer: PortAnswer): void;
	openPort(answer: PortAnswer): RelayPort;
};

export type WindowPorts = {
	/** A window asks for a connection: it gets a port, or why there is none. */
	request(id: string, window: WindowEnd): Promise<void>;
	/** The window has gone or loads anew: its connections end. */
	left(window: WindowEnd): void;
};

/**
 * Connections to the agent for windows. A window decides by itself when to ask again; the app's own link is what starts
 * an agent, and a request waits until that has come out.
 *
 * @param connect opens a connection to the agent
 * @param settled see `AgentLink`
 */
export function createWindowPorts(
	connect: () => Promise<PausableTransport>,
	settled: () => Promise<ProtocolError | undefined>,
): WindowPorts {
	const ends = new Map<WindowEnd, Set<() => void>>();

	async function transportFor(): Promise<PausableTransport | ProtocolError> {
		try {
			return await connect();
		} catch (first) {
			if (!isAbsence(first)) return asProtocolError(first);
		}
		const problem = await settled();
		if (problem !== undefined) return problem;
		return connect().catch(asProtocolError);
	}

	return {
		async request(id, window) {
			const kept = ends.get(window) ?? new Set<() => void>();
			ends.set(window, kept);
			const transport = await transportFor();
			if (transport instanceof ProtocolError) {
				const { code, message } = transport;
				if (ends.get(window) === kept) window.answer({ type: "outlive:port", id, error: { code, message } });
				return;
			}
			if (ends.get(window) !== kept) {
				transport.close();
				return;
			}
			const end = relay(transport, window.openPort({ type: "outlive:port", id }), () => kept.delete(end));
			kept.add(end);
		},
		left(window) {
			const kept = ends.get(window);
			ends.delete(window);
			for (const end of [...(kept ?? [])]) end();
		},
	};
}

function isAbsence(error: unknown): boolean {
	return error instanceof ProtocolError && error.code === "not_running";
}

function asProtocolError(error: unknown): ProtocolError {
	return error instanceof ProtocolError
		? error
		: protocolError("cannot_connect", undefined, { cause: error });
}

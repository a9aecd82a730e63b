import { connect } from "node:net";
import { type ProtocolError, protocolError } from "./errors.ts";
import { checkSocketPath } from "./node-socket-path.ts";
import { streamTransport } from "./node-stream-transport.ts";
import type { PausableTransport } from "./transport.ts";

/** A connection to a Unix socket is made at once or not at all; this is for a system that hangs. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Why a socket can't be reached. Only `refused` and `missing` prove that nobody is there: a busy or frozen agent, or one
 * of another user, looks like the others.
 */
export type UnreachableReason = "refused" | "missing" | "timeout" | "busy" | "permission" | "other";

const REASONS: Record<string, UnreachableReason> = {
	ECONNREFUSED: "refused",
	ENOENT: "missing",
	ENOTDIR: "missing",
	ETIMEDOUT: "timeout",
	// The queue of connections that wait to be accepted is full. BSD systems, macOS too, call that refused as well; there
	// the owner's lock is what keeps a second agent out.
	EAGAIN: "busy",
	EACCES: "permission",
	EPERM: "permission",
};

/**
 * Connects to the agent's socket.
 *
 * @returns the transport; rejects with a `ProtocolError` whose data is `{ reason: UnreachableReason, path }`:
 * `not_running` (refused, missing), `no_answer` (timeout, busy), `no_permission`, `cannot_connect`; or with
 * `socket_path_too_long`
 */
export async function connectSocket(
	path: string,
	options: { readonly timeoutMs?: number } = {},
): Promise<PausableTransport> {
	checkSocketPath(path);
	return openSocket(path, options.timeoutMs ?? CONNECT_TIMEOUT_MS);
}

/** Whether an error proves that no agent listens, so that one may be started. */
export function provesAbsence(error: unknown): boolean {
	return (error as Partial<ProtocolError> | undefined)?.code === "not_running";
}

function openSocket(path: string, timeoutMs: number): Promise<PausableTransport> {
	return new Promise((resolve, reject) => {
		const socket = connect({ path });
		const settle = (act: () => void) => {
			clearTimeout(timer);
			socket.off("connect", onConnect);
			socket.off("error", onError);
			act();
		};
		const onConnect = () =>
			settle(() =>
				resolve(streamTransport({ input: socket, output: socket, destroy: () => socket.destroy() })),
			);
		const onError = (error: NodeJS.ErrnoException) =>
			settle(() => reject(unreachable(path, REASONS[error.code ?? ""] ?? "other", error)));
		const timer = setTimeout(() => {
			settle(() => reject(unreachable(path, "timeout")));
			socket.on("error", () => {
				// Destroying a socket that is still connecting may report the connect as failed; it is given up already.
			});
			socket.destroy();
		}, timeoutMs);
		socket.on("connect", onConnect);
		socket.on("error", onError);
	});
}

function unreachable(path: string, reason: UnreachableReason, cause?: Error): ProtocolError {
	const options = { data: { reason, path }, cause };
	switch (reason) {
		case "refused":
		case "missing":
			return protocolError("not_running", undefined, options);
		case "timeout":
		case "busy":
			return protocolError("no_answer", undefined, options);
		case "permission":
			return protocolError(
				"no_permission",
				`You may not open the agent's socket ${path}; use your own data directory (OUTLIVE_DATA_DIR).`,
				options,
			);
		case "other":
			return protocolError(
				"cannot_connect",
				`The agent's socket ${path} can't be opened (${cause?.message}); look at it with: outlive doctor`,
				options,
			);
	}
}

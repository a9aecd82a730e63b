import type { ProtocolError } from "./errors.ts";

/**
 * A connection that carries lines both ways, whatever it is made of: a socket, a message port, a web socket, a recorded
 * stream. Lines are JSON text without their newlines.
 */
export type Transport = {
	/** Sends a line. Once the connection has ended it does nothing. */
	send(line: string): void;
	/** Sets the one listener. Lines that came before it was set are handed to it first. */
	onLine(listener: (line: string) => void): void;
	/** Sets the one listener, called once when the connection has ended, whoever ended it; after the last line. */
	onClose(listener: (reason: ProtocolError) => void): void;
	close(): void;
};

/** One whose reading can be held up, so that the other side learns that nobody keeps up with it. */
export type PausableTransport = Transport & {
	/** Reads no more until `resume()`; lines of what was read already may still come. */
	pause(): void;
	resume(): void;
};

import type { Readable, Writable } from "node:stream";
import { createLineSplitter, frameLine } from "./codec.ts";
import { ProtocolError, protocolError } from "./errors.ts";
import type { PausableTransport } from "./transport.ts";

export type StreamEnds = {
	readonly input: Readable;
	readonly output: Writable;
	/** Ends both, at once; called at most once. */
	readonly destroy: () => void;
};

/**
 * A transport over bytes: a socket, or the standard input and output of `ssh … outlive connect`. It reads nothing until
 * a listener for lines is set. It ends when either stream does, and after a line that can't be read.
 */
export function streamTransport({ input, output, destroy }: StreamEnds): PausableTransport {
	const splitter = createLineSplitter();
	let onLine: ((line: string) => void) | undefined;
	let onClose: ((reason: ProtocolError) => void) | undefined;
	let ended: ProtocolError | undefined;

	function end(reason: ProtocolError): void {
		if (ended !== undefined) return;
		ended = reason;
		destroy();
		onClose?.(reason);
	}

	function read(chunk: Uint8Array): void {
		for (const line of splitter.push(chunk)) {
			if (ended !== undefined) return;
			if (line.ok) onLine?.(line.text);
			else end(new ProtocolError(line.error));
		}
	}

	const onError = (cause: Error) =>
		end(protocolError("connection_lost", `The connection to the agent broke (${cause.message}).`, { cause }));
	const onEnd = () => end(protocolError("connection_lost", "The agent closed the connection."));
	for (const stream of new Set([input, output])) {
		stream.on("error", onError);
		stream.on("close", onEnd);
	}
	input.on("end", onEnd);

	return {
		send(line) {
			if (ended === undefined) output.write(frameLine(line));
		},
		onLine(listener) {
			onLine = listener;
			input.on("data", read);
		},
		onClose(listener) {
			onClose = listener;
			if (ended !== undefined) listener(ended);
		},
		pause: () => void input.pause(),
		resume: () => void input.resume(),
		close() {
			end(protocolError("connection_lost", "The connection was closed on this side."));
		},
	};
}

import {
	type AgentMessage,
	encodeFrame,
	encodeLine,
	MAX_PENDING_BYTES,
	MAX_PENDING_FRAMES,
	type WireError,
} from "../protocol/index.ts";
import type { Frame } from "./sources/source.ts";

/** Responses that wait for a client to read them, past either of which none of its requests are read. */
const MAX_OWED_BYTES = MAX_PENDING_BYTES;
const MAX_OWED_MESSAGES = 1_000;

/** The events of one watch, on their way to one client. */
export type Lane = {
	/** The operations of the next event. Nothing is kept of them while a snapshot of what they make waits to be sent. */
	ops(frame: Frame): void;
	/** The last event. */
	end(error: WireError): void;
	/** Takes back what has not been sent; nothing more is. */
	close(): void;
};

type Item =
	| { readonly kind: "message"; readonly bytes: Uint8Array }
	| { readonly kind: "ops"; readonly lane: LaneState; readonly bytes: Uint8Array }
	/** Made when it is sent, so that waiting costs nothing and what is sent is the newest. */
	| { readonly kind: "snapshot"; readonly lane: LaneState }
	| { readonly kind: "end"; readonly lane: LaneState; readonly error: WireError };

type LaneState = {
	readonly watch: string;
	readonly snapshot: () => Uint8Array;
	nextSeq: number;
	/** Whether a snapshot is among the items that wait. */
	snapshotWaits: boolean;
	open: boolean;
};

/** What one client is to be sent, in order. */
export type Outbox = {
	/** Queues a response or an error; these are never dropped. */
	send(message: AgentMessage): void;
	/** Begins a watch with a snapshot: the bytes of the JSON of its value, asked for whenever one is sent. */
	open(watch: string, snapshot: () => Uint8Array): Lane;
	/** The client takes bytes again: sends on. */
	drained(): void;
	/** Whether the client reads so slowly that nothing more may be asked on its behalf. */
	readonly isOwing: boolean;
	readonly isEmpty: boolean;
};

/**
 * Holds what can't be sent yet. Past 100 frames or 8 MiB of events, the events that wait are replaced by one snapshot for
 * each of their watches, with the next `seq`: numbers are given when a frame is handed over, and what was handed over is
 * finished whole.
 *
 * @param write hands one frame to the system; false when it must be the last for now, until `drained()`
 */
export function createOutbox(write: (frame: Uint8Array) => boolean): Outbox {
	let items: Item[] = [];
	let eventFrames = 0;
	let eventBytes = 0;
	let owedBytes = 0;
	let owedMessages = 0;
	let blocked = false;
	let sending = false;

	function push(item: Item): void {
		items.push(item);
		count(item, 1);
		sendOn();
	}

	function count(item: Item, sign: 1 | -1): void {
		if (item.kind === "message") {
			owedMessages += sign;
			owedBytes += sign * item.bytes.length;
			return;
		}
		eventFrames += sign;
		if (item.kind === "ops") eventBytes += sign * item.bytes.length;
	}

	function sendOn(): void {
		// Making a snapshot may bring new operations, which are queued behind it.
		if (sending) return;
		sending = true;
		while (!blocked && items.length > 0) {
			const item = items.shift()!;
			count(item, -1);
			blocked = !write(frameOf(item));
		}
		sending = false;
	}

	/** Every event that waits gives way to one snapshot of its watch, in the place of its first. */
	function collapse(): void {
		const kept: Item[] = [];
		for (const item of items) {
			if (item.kind !== "ops") {
				kept.push(item);
				continue;
			}
			count(item, -1);
			const { lane } = item;
			if (lane.snapshotWaits) continue;
			lane.snapshotWaits = true;
			const snapshot: Item = { kind: "snapshot", lane };
			kept.push(snapshot);
			count(snapshot, 1);
		}
		items = kept;
	}

	return {
		send(message) {
			push({ kind: "message", bytes: encodeFrame(message) });
		},
		open(watch, snapshot) {
			const lane: LaneState = { watch, snapshot, nextSeq: 0, snapshotWaits: true, open: true };
			push({ kind: "snapshot", lane });
			return {
				ops(frame) {
					if (!lane.open || lane.snapshotWaits) return;
					push({ kind: "ops", lane, bytes: frame.bytes() });
					if (eventFrames > MAX_PENDING_FRAMES || eventBytes > MAX_PENDING_BYTES) collapse();
				},
				end(error) {
					if (!lane.open) return;
					lane.open = false;
					push({ kind: "end", lane, error });
				},
				close() {
					lane.open = false;
					const withdrawn = items.filter((item) => item.kind !== "message" && item.lane === lane);
					for (const item of withdrawn) count(item, -1);
					if (withdrawn.length > 0) items = items.filter((item) => !withdrawn.includes(item));
				},
			};
		},
		drained() {
			blocked = false;
			sendOn();
		},
		get isOwing() {
			return owedBytes > MAX_OWED_BYTES || owedMessages > MAX_OWED_MESSAGES;
		},
		get isEmpty() {
			return items.length === 0;
		},
	};
}

const END_OF_EVENT = new TextEncoder().encode("}\n");

function frameOf(item: Item): Uint8Array {
	switch (item.kind) {
		case "message":
			return item.bytes;
		case "ops":
			return event(item.lane, "ops", item.bytes);
		case "snapshot":
			item.lane.snapshotWaits = false;
			return event(item.lane, "snapshot", item.lane.snapshot());
		case "end":
			return encodeFrame({
				type: "event",
				watch: item.lane.watch,
				seq: item.lane.nextSeq++,
				end: item.error,
			});
	}
}

/** A frame around JSON that is made once for all clients: only watch and number are a client's own. */
function event(lane: LaneState, field: "ops" | "snapshot", json: Uint8Array): Uint8Array {
	const head = encodeLine({ type: "event", watch: lane.watch, seq: lane.nextSeq++ });
	return Buffer.concat([Buffer.from(`${head.slice(0, -1)},"${field}":`), json, END_OF_EVENT]);
}

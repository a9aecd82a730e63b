import type { Op } from "@earendil-works/chord/delta";
import { diff, type JsonObject } from "../../durable/index.ts";
import type { WireError } from "../../protocol/index.ts";

/** Operations of one event, encoded when the first client needs them and then the same for all. */
export type Frame = { bytes(): Uint8Array };

export type SourceListener = {
	readonly onOps: (frame: Frame) => void;
	/** The value changes no more. Called once, last. */
	readonly onEnd: (error: WireError) => void;
};

/** A live value that any number of clients watch. Each change is worked out once. */
export type Source = {
	/** The bytes of the JSON of the value as it was last told. */
	snapshot(): Uint8Array;
	/** Tells the listener of every later change; returns what ends that. */
	attach(listener: SourceListener): () => void;
};

export type OwnedSource<V> = Source & {
	readonly value: V;
	/** The value may have changed: it is composed again soon, once for all changes until then. */
	changed(): void;
	/** Tells every listener that nothing more comes. */
	end(error: WireError): void;
	/** Nothing more is composed or told. */
	stop(): void;
};

export type SourceOptions<V> = {
	/** The value as it is now. It shares what didn't change with the one before, which is what makes changes small. */
	readonly compose: () => V;
	/** Runs soon; returns what cancels it. Default: in the next turn of the event loop. */
	readonly schedule?: (run: () => void) => () => void;
	/** Hears why composing failed, and says what the listeners are told. */
	readonly onFailure: (error: unknown) => WireError;
};

/** The producing side of a `Source`. Throws what `compose` throws for the first value. */
export function createSource<V extends object>(options: SourceOptions<V>): OwnedSource<V> {
	const { compose, schedule = nextTurn, onFailure } = options;
	const listeners = new Set<SourceListener>();
	let value = compose();
	let cancel: (() => void) | undefined;
	let ended: WireError | undefined;

	function update(): void {
		cancel = undefined;
		let ops: Op[];
		try {
			const next = compose();
			ops = diff(value as JsonObject, next as JsonObject);
			value = next;
		} catch (error) {
			// A view that can't be made must not end the agent; its watchers hear of it and may ask again.
			end(onFailure(error));
			return;
		}
		if (ops.length === 0) return;
		const frame = frameOf(ops);
		for (const listener of [...listeners]) listener.onOps(frame);
	}

	function stop(): void {
		cancel?.();
		cancel = () => {};
	}

	function end(error: WireError): void {
		if (ended !== undefined) return;
		ended = error;
		stop();
		for (const listener of [...listeners]) listener.onEnd(error);
		listeners.clear();
	}

	return {
		get value() {
			return value;
		},
		snapshot: () => Buffer.from(JSON.stringify(value)),
		attach(listener) {
			if (ended === undefined) listeners.add(listener);
			else listener.onEnd(ended);
			return () => listeners.delete(listener);
		},
		changed() {
			cancel ??= schedule(update);
		},
		end,
		stop,
	};
}

function frameOf(ops: readonly Op[]): Frame {
	let bytes: Uint8Array | undefined;
	return {
		bytes() {
			bytes ??= Buffer.from(JSON.stringify(ops));
			return bytes;
		},
	};
}

/** After everything that is at hand, so that commits that come together make one event. */
function nextTurn(run: () => void): () => void {
	const immediate = setImmediate(run);
	return () => clearImmediate(immediate);
}

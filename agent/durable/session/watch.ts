import type { Context } from "@earendil-works/chord";
import { withoutAbortSignal } from "@earendil-works/chord/context";
import type { Op } from "../types/documents.ts";
import type { JsonValue } from "../types/json.ts";
import type { WatchEnd, WatchHandle } from "../types/session.ts";

/** Undelivered changes a watch keeps before it folds them into one replacement of the whole value. */
const MAX_PENDING = 100;

type Frame<T> = { readonly value: T; readonly ops: readonly Op[]; readonly context: Context };

export type WatchSource<T> = {
	readonly handle: WatchHandle<T>;
	/** Queues one committed change. */
	push(value: T, ops: readonly Op[], context: Context): void;
	/** Ends the watch; what is queued is still delivered when `drain` is set. */
	end(end: WatchEnd, options?: { readonly drain?: boolean }): void;
};

/** The producing side of a `WatchHandle`. `onEnd` runs once, when the watch ends for whatever reason. */
export function createWatch<T>(initial: T, context: Context, onEnd: () => void): WatchSource<T> {
	let value = initial;
	let newest = initial;
	let pending: Frame<T>[] = [];
	let listener: ((value: T, ops: readonly Op[], context: Context) => Promise<void>) | undefined;
	let delivering = false;
	let ended: WatchEnd | undefined;
	let drainThenEnd: WatchEnd | undefined;
	const { promise: closed, resolve: resolveClosed } = Promise.withResolvers<WatchEnd>();

	const onCancel = () => finish({ reason: "cancelled" });
	context.abortSignal?.addEventListener("abort", onCancel, { once: true });

	function finish(end: WatchEnd): void {
		if (ended !== undefined) return;
		ended = end;
		pending = [];
		context.abortSignal?.removeEventListener("abort", onCancel);
		onEnd();
		resolveClosed(end);
	}

	async function deliver(): Promise<void> {
		if (delivering || listener === undefined) return;
		delivering = true;
		while (pending.length > 0 && ended === undefined) {
			const frame = pending.shift()!;
			value = frame.value;
			try {
				await listener(frame.value, frame.ops, frame.context);
			} catch (error) {
				finish({
					reason: "listener_error",
					error: error instanceof Error ? error : new Error(String(error)),
				});
			}
		}
		delivering = false;
		if (drainThenEnd !== undefined) finish(drainThenEnd);
	}

	return {
		handle: {
			get value() {
				return value;
			},
			start(callback) {
				if (listener !== undefined) throw new Error("This watch was started before; acquire another one.");
				listener = callback;
				queueMicrotask(deliver);
			},
			stop() {
				finish({ reason: "stopped" });
				return closed;
			},
			closed,
		},
		push(next, ops, source) {
			if (ended !== undefined || drainThenEnd !== undefined) return;
			newest = next;
			const frameContext = withoutAbortSignal(source);
			if (pending.length >= MAX_PENDING)
				pending = [{ value: newest, ops: [["r", newest as JsonValue]], context: frameContext }];
			else pending.push({ value: next, ops, context: frameContext });
			queueMicrotask(deliver);
		},
		end(end, options) {
			if (options?.drain === true && pending.length > 0) {
				drainThenEnd ??= end;
				queueMicrotask(deliver);
			} else finish(end);
		},
	};
}

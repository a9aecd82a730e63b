import type { Context } from "@earendil-works/chord";
import { LiveDoc } from "../harness/built-in-documents.ts";
import { liveOf } from "../harness/run.ts";
import { copyStrictJson } from "../session/strict-json.ts";
import type { EntryId, TaskId } from "../types/ids.ts";
import type { JsonValue } from "../types/json.ts";
import type { LiveState, ToolSlot } from "../types/live.ts";
import type { Tx } from "../types/session.ts";
import type { ToolDiagnostic } from "../types/tools.ts";
import { createOutputBuffer, type OutputLimits } from "./output-buffer.ts";
import type { ToolRuntime } from "./runtime-types.ts";

/** Written output delays the next write by its size at this rate, so that large windows are written less often. */
const BYTES_PER_MS = (100 * 1024) / 1_000;

/** What a running call has said so far, and its committed picture in the call's slot of `pi.live`. */
export function createProgress(runtime: ToolRuntime, limits: OutputLimits, context: Context) {
	const { clock } = runtime;
	const buffer = createOutputBuffer(limits);
	const diagnostics: ToolDiagnostic[] = [];
	let details: JsonValue | undefined;
	let said = false;
	let dirty = false;
	let notBefore = Number.NEGATIVE_INFINITY;
	let cancelTimer: (() => void) | undefined;
	let inFlight: Promise<void> | undefined;
	let stopped = false;
	let waiting = Promise.withResolvers<void>();

	function changed(): Promise<void> {
		dirty = true;
		const { promise } = waiting;
		schedule();
		return promise;
	}

	function schedule(): void {
		if (stopped || !dirty || inFlight !== undefined || cancelTimer !== undefined) return;
		const wait = notBefore - clock.monotonic();
		if (wait <= 0) write();
		else
			cancelTimer = clock.after(wait, () => {
				cancelTimer = undefined;
				write();
			});
	}

	function write(): void {
		if (stopped || !dirty) return;
		dirty = false;
		const settled = waiting;
		waiting = Promise.withResolvers();
		const { text, droppedBytes, droppedLines } = buffer.retained();
		notBefore =
			clock.monotonic() + Math.max(runtime.settings.progress.outputIntervalMs, text.length / BYTES_PER_MS);
		inFlight = runtime
			.commit(
				async (tx) => {
					const slot = slotOf(await liveOf(tx, runtime.conversationId), runtime.taskId);
					if (slot === undefined) return;
					if (said) slot.output = text;
					if (droppedBytes > 0) Object.assign(slot, { droppedBytes, droppedLines });
					if (details !== undefined) slot.details = details;
					if (diagnostics.length > 0) slot.diagnostics = diagnostics.map((item) => ({ ...item }));
				},
				context,
				{ progress: false },
			)
			.then(settled.resolve, (error) => {
				settled.resolve();
				// A stopped invocation can't write; anything else shows again with the result.
				if (!runtime.signal.aborted) runtime.report(error);
			})
			.finally(() => {
				inFlight = undefined;
				schedule();
			});
	}

	function assertRunning(): void {
		if (stopped || runtime.signal.aborted) throw new Error("The call has ended; it can't report any more.");
	}

	return {
		output(chunk: string | Uint8Array): void {
			assertRunning();
			buffer.append(chunk);
			said = true;
			void changed();
		},
		diagnostic(diagnostic: ToolDiagnostic): void {
			assertRunning();
			diagnostics.push({ ...diagnostic });
			void changed();
		},
		details(value: JsonValue): Promise<void> {
			assertRunning();
			details = copyStrictJson(value, "details");
			return changed();
		},
		/** Nothing lands in the slot after this resolves. */
		async stop(): Promise<void> {
			stopped = true;
			cancelTimer?.();
			await inFlight;
			waiting.resolve();
		},
		reported: () => ({ ...buffer.retained(), said, details, diagnostics }),
	};
}

export type Progress = ReturnType<typeof createProgress>;

export function slotOf(live: LiveState, taskId: TaskId): ToolSlot | undefined {
	return live.tools?.find((slot) => slot.taskId === taskId);
}

/** The call is over: what its slot showed meanwhile is in its result, when there is one. */
export function endSlot(slot: ToolSlot, entry?: EntryId): void {
	slot.status = "done";
	if (entry !== undefined) slot.entry = entry;
	emptySlot(slot);
}

function emptySlot(slot: ToolSlot): void {
	delete slot.output;
	delete slot.droppedBytes;
	delete slot.droppedLines;
	delete slot.details;
	delete slot.diagnostics;
}

/** The call starts over: what its first run showed is no part of the second. */
export async function forgetProgress(runtime: ToolRuntime, context: Context): Promise<void> {
	const forget = async (tx: Tx) => {
		const slot = slotOf(await liveOf(tx, runtime.conversationId), runtime.taskId);
		if (slot !== undefined) emptySlot(slot);
	};
	await runtime.commit(forget, context, { progress: false });
}

/** What an interrupted call had committed: all that can be said of it. */
export async function committedProgress(
	runtime: ToolRuntime,
	context: Context,
): Promise<{ output?: string; details?: JsonValue; diagnostics?: readonly ToolDiagnostic[] }> {
	const live = (await runtime.snapshot(LiveDoc, runtime.conversationId, context)) as LiveState | undefined;
	const slot = live === undefined ? undefined : slotOf(live, runtime.taskId);
	return {
		...(slot?.output === undefined ? {} : { output: slot.output }),
		...(slot?.details === undefined ? {} : { details: slot.details }),
		...(slot?.diagnostics === undefined ? {} : { diagnostics: slot.diagnostics }),
	};
}

import { setImmediate } from "node:timers/promises";
import type { OutputWindow } from "../durable-commands.ts";
import { openSpool, readSpool, type Spool, windowOf } from "./spool.ts";

const PIECE = 1024 * 1024;

/**
 * Where the output of a command ends: the runner writes this after it, through the same pipe. Nobody else can, since
 * the nonce is random and the command never learns it.
 */
export function endMarker(nonce: string): Buffer {
	return Buffer.from(`\x01${nonce}\x01`, "latin1");
}

/**
 * The offset of the marker, looked for from the end of the spool, where it nearly always is, back to `since`; undefined
 * when it isn't there.
 */
export async function findEndMarker(spool: Spool, nonce: string, since: number): Promise<number | undefined> {
	const marker = endMarker(nonce);
	let end = spool.size;
	while (end > since) {
		const begin = Math.max(since, end - PIECE);
		// The pieces overlap, so that a marker on the border is whole in one of them.
		const { bytes, offset } = readSpool(spool, begin, end - begin + marker.length - 1);
		const found = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(marker);
		if (found >= 0) return offset + found;
		end = begin;
		// A long way back must not hold up everybody else.
		if (end > since) await setImmediate();
	}
	return undefined;
}

/**
 * For who doesn't know the nonce: the size without what looks like a marker at the very end. Between the marker and the
 * recorded exit it is one; should a command ever write such a thing itself, more output or its end bring it back.
 */
export function endBeforeMarker(directory: string): number {
	const spool = openSpool(directory);
	const from = Math.max(0, spool.size - endMarker("0".repeat(32)).length);
	const { bytes, offset } = readSpool(spool, from, spool.size - from);
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the marker is set in control characters
	return /^\x01[0-9a-f]{32}\x01$/.test(Buffer.from(bytes).toString("latin1")) ? offset : spool.size;
}

/** What there is to see of a command's output: never the marker, nor what others wrote after it. */
export function outputOf(
	run: { readonly directory: string; readonly intent: { readonly nonce: string } },
	end?: number,
): OutputWindow {
	const window = windowOf(openSpool(run.directory, end));
	const { head, tail, size } = window;
	const marker = endMarker(run.intent.nonce);
	const inTail = Buffer.concat([head.subarray(-marker.length), tail]).indexOf(marker);
	if (inTail >= 0) return outputOf(run, size - tail.length - Math.min(head.length, marker.length) + inTail);
	const inHead = Buffer.from(head).indexOf(marker);
	return inHead >= 0 ? outputOf(run, inHead) : window;
}

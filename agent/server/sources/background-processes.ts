import { bootId, isAlive } from "../../durable/env/process-identity.ts";
import type { After, BackgroundProcess, WireEntry } from "../../protocol/index.ts";
import { type LeftRunning, leftRunning } from "../views/background.ts";
import { lastResult } from "../views/last-result.ts";

/** How often it is looked which of the processes shown still run, in ms. Nothing is looked for when there are none. */
const LOOK_AGAIN_MS = 10_000;

/** Those processes which finished calls left running that still do. */
export type BackgroundProcesses = {
	/** The same list as long as nothing in it changed. */
	compose(entries: readonly WireEntry[]): readonly BackgroundProcess[];
	/** Looks now. */
	look(): void;
	stop(): void;
};

/** @param onChange called when one has ended */
export function followBackground(after: After, onChange: () => void): BackgroundProcesses {
	const named = lastResult(leftRunning);
	const gone = new Set<string>();
	let known: readonly LeftRunning[] = [];
	let list: readonly BackgroundProcess[] = [];
	let cancel: (() => void) | undefined;

	/** Whether one of those shown turned out to have ended. */
	function sort(): boolean {
		cancel?.();
		cancel = undefined;
		const running = known.filter((one) => !gone.has(keyOf(one)));
		const ended = running.filter((one) => !mayRun(one));
		for (const one of ended) gone.add(keyOf(one));
		list = known.filter((one) => !gone.has(keyOf(one))).map(({ process }) => process);
		if (list.length > 0) cancel = after(LOOK_AGAIN_MS, look);
		return ended.length > 0;
	}

	function look(): void {
		if (sort()) onChange();
	}

	return {
		compose(entries) {
			const newest = named(entries);
			if (newest !== known) {
				const isSame =
					newest.length === known.length && newest.every((one, i) => isSameProcess(one, known[i]!));
				known = newest;
				if (!isSame) sort();
			}
			return list;
		},
		look,
		stop: () => cancel?.(),
	};
}

function keyOf({ process: { call, pid }, start }: LeftRunning): string {
	return `${pid} ${start} ${call}`;
}

function isSameProcess(left: LeftRunning, right: LeftRunning): boolean {
	return keyOf(left) === keyOf(right);
}

/** Shown unless it is certain that it has ended. */
function mayRun({ process: { pid }, start }: LeftRunning): boolean {
	return isAlive({ pid, start, boot: bootId() ?? "" }) !== "dead";
}

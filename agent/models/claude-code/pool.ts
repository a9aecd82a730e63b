import type { ClaudeProcess } from "./claude-process.ts";

/** The processes that wait for the next message of their conversation, and the places of those that answer. */
export type Pool = {
	/**
	 * Waits for a place to answer in; the longest waiting first. Rejects with the signal's reason on abort.
	 *
	 * @param onWait told that there is none yet, and, with false, that there is one now
	 * @returns gives the place back
	 */
	place(signal: AbortSignal | undefined, onWait?: (waits: boolean) => void): Promise<() => void>;
	/** Takes the idle process of this key out; undefined when there is none. */
	take(key: string): ClaudeProcess | undefined;
	/** Keeps a process for the next message; the longest idle one goes when there are too many. */
	keep(key: string, process: ClaudeProcess): void;
	/** Kills every idle process. */
	close(): void;
};

const GB = 1024 ** 3;

/** How many processes a machine with so many bytes of memory may have answering at once. */
export const mostRunning = (memory: number): number => Math.max(2, Math.floor(memory / GB));

/**
 * @param warmLimit how many may be idle
 * @param runningLimit how many may answer at once; at least 1
 */
export function createPool(warmLimit: () => number, runningLimit: () => number): Pool {
	/** The longest idle first. */
	const idle = new Map<string, ClaudeProcess>();
	const waiting = new Set<() => void>();
	let running = 0;

	const leave = () => {
		running--;
		const [next] = waiting;
		if (next === undefined) return;
		waiting.delete(next);
		next();
	};
	const enter = () => {
		running++;
		let left = false;
		return () => {
			if (!left) leave();
			left = true;
		};
	};
	const take = (key: string) => {
		const process = idle.get(key);
		idle.delete(key);
		process?.listen(undefined);
		return process?.isRunning() ? process : undefined;
	};

	return {
		async place(signal, onWait) {
			signal?.throwIfAborted();
			const hasToWait = running >= runningLimit();
			if (hasToWait) onWait?.(true);
			while (running >= runningLimit()) {
				const turn = Promise.withResolvers<void>();
				const giveUp = () => turn.reject(signal?.reason);
				waiting.add(turn.resolve);
				signal?.addEventListener("abort", giveUp, { once: true });
				try {
					await turn.promise;
				} finally {
					waiting.delete(turn.resolve);
					signal?.removeEventListener("abort", giveUp);
				}
			}
			if (hasToWait) onWait?.(false);
			return enter();
		},
		take,
		keep(key, process) {
			take(key)?.kill();
			idle.set(key, process);
			// One that ends by itself means nothing: the next message starts another.
			process.listen({
				line() {},
				ended() {
					if (idle.get(key) === process) idle.delete(key);
				},
			});
			while (idle.size > Math.max(0, warmLimit())) take([...idle.keys()][0]!)?.kill();
		},
		close() {
			for (const key of [...idle.keys()]) take(key)?.kill();
		},
	};
}

import type { Context } from "@earendil-works/chord";
import { awaitWithContext } from "@earendil-works/chord/context";
import type { FileSystem } from "../durable/env/file-system.ts";

/** The end of each file's queue. A file without waiters has no entry. */
const queues = new Map<string, Promise<void>>();

/**
 * Runs one change of a file at a time, in the order they were asked for, whichever environment object they came
 * through. Cancelling the context gives the place in the queue up; a change that has begun is not cut off by it here.
 */
export async function withFileLock<T>(
	fs: Pick<FileSystem, "id">,
	canonicalPath: string,
	context: Context,
	change: () => Promise<T>,
): Promise<T> {
	const key = `${fs.id}\0${canonicalPath}`;
	const before = queues.get(key) ?? Promise.resolve();
	const { promise: finished, resolve: release } = Promise.withResolvers<void>();
	const end = before.then(() => finished);
	queues.set(key, end);
	try {
		await awaitWithContext(before, context);
		return await change();
	} finally {
		release();
		if (queues.get(key) === end) queues.delete(key);
	}
}

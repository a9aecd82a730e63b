import { Worker } from "node:worker_threads";
import type { ScaledImage } from "./scale.ts";
import type { ScalingWork } from "./scaling-worker.ts";
import { UnfitImageError } from "./unfit-image.ts";

/**
 * Scales an image in a thread of its own, so that everything else goes on meanwhile. The thread and its memory are gone
 * when the promise settles. Throws `UnfitImageError` when the image can't be unpacked, or the signal's reason.
 */
export function scaleInThread(work: ScalingWork, signal: AbortSignal | undefined): Promise<ScaledImage> {
	// The bundler knows this line: build/bundle/embed-worker.ts.
	const worker = new Worker(new URL("./scaling-worker.ts", import.meta.url), { workerData: work });
	const { promise, resolve, reject } = Promise.withResolvers<ScaledImage>();
	const abort = () => reject(signal?.reason);
	const fail = (cause?: Error) =>
		reject(new UnfitImageError("can't be unpacked: it may be damaged", { cause }));
	signal?.addEventListener("abort", abort, { once: true });
	worker.once("message", resolve);
	worker.once("error", fail);
	// Without a message before: it was ended from outside, or found no memory.
	worker.once("exit", () => fail());
	return promise.finally(async () => {
		signal?.removeEventListener("abort", abort);
		await worker.terminate();
	});
}

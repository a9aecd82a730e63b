import { parentPort, workerData } from "node:worker_threads";
import type { ImageLimits } from "./image-limits.ts";
import { scale } from "./scale.ts";

/** What the thread is started with: one image, and what it may be at most. */
export type ScalingWork = { readonly bytes: Uint8Array; readonly limits: ImageLimits };

const { bytes, limits } = workerData as ScalingWork;
// What the decoder throws ends the thread, and with it reaches who waits for it.
parentPort?.postMessage(scale(bytes, limits));

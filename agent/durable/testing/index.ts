/** For tests of programs that use the harness: what `outlive/durable/testing` exports. */
export { registerStorageConformance, type TestRunner, type UseStorage } from "../storage/conformance.ts";
export { createManualClock, type ManualClock } from "./manual-clock.ts";

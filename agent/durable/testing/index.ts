/** For tests of programs that use the harness: what `outlive/durable/testing` exports. */
export { registerEnvConformance, type UseEnv } from "../env/env-conformance.ts";
export {
	type FileSystemUnderTest,
	type OpenFileSystem,
	registerFileSystemConformance,
} from "../env/file-system-conformance.ts";
export { registerStorageConformance, type TestRunner, type UseStorage } from "../storage/conformance.ts";
export {
	type PersistentStorage,
	registerPersistenceConformance,
} from "../storage/persistence-conformance.ts";
export { createManualClock, type ManualClock } from "./manual-clock.ts";

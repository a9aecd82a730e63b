import { linuxProcesses } from "./linux.ts";
import { macosProcesses } from "./macos.ts";
import type { ProcessSource } from "./process-source.ts";

/** The processes of the system this process runs on. */
export const systemProcesses: ProcessSource =
	process.platform === "darwin" ? macosProcesses() : linuxProcesses();

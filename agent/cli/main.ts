/**
 * `outlive`, the command line. From a checkout Node reads the sources as they are; what it made of them is kept, since a
 * person waits for it each time.
 */
import { enableCompileCache } from "node:module";
import { join } from "node:path";

enableCompileCache(join(import.meta.dirname, "..", "..", "node_modules", ".cache", "outlive"));
const { runCommandLine } = await import("./run.ts");
process.exitCode = await runCommandLine(process.argv.slice(2));

/**
 * Ends what a test run has started when the run itself is gone, however it went: by a SIGKILL, a time limit, a closed
 * terminal. The other end of this process's standard input is the run's; the system closes it with the run.
 *
 * Its one argument is what the marks of the run's processes begin with. Each line of its input is a folder that is
 * removed then.
 */
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { endMarked } from "./processes.mjs";

/** A process that is just being started may not bear its mark yet when it is first looked for, in ms. */
const LOOKS = [0, 100, 400, 1_000];

const [mark] = process.argv.slice(2);
if (mark === undefined || mark === "") throw new Error("The keeper needs the mark of the processes to end.");
// A run that is interrupted takes the whole terminal's processes with it; this one has yet to do its work.
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) process.on(signal, () => {});
const folders = new Set();
const told = createInterface({ input: process.stdin.on("error", () => told.close()) });
for await (const folder of told) folders.add(folder);
for (const pause of LOOKS) {
	await wait(pause);
	endMarked(mark);
}
for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** How many bytes the process holds, garbage not counted. Some goes only after its finalizers have run. */
export async function heldMemory(): Promise<number> {
	for (let round = 0; round < 3; round++) {
		collectGarbage();
		await nextTurn();
	}
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

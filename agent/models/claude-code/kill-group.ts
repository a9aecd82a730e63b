import { sendSignal } from "../../durable/env/processes/signal.ts";

/**
 * Kills everything in the process group that `leader` was started to lead, by SIGKILL. What is called `claude` may be a
 * launcher: killed alone, it would leave the program behind it with an open request.
 *
 * @returns whether there was such a group
 */
export function killGroup(leader: number): boolean {
	return sendSignal(-leader, "SIGKILL") !== "gone";
}

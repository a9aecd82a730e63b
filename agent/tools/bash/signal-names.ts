import { constants } from "node:os";

/** `SIGTERM` of 15, as this system numbers them; undefined when no signal has the number. */
export function signalName(number: number): string | undefined {
	return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

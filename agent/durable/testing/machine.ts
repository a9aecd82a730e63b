import type { TestContext } from "node:test";
import { createNetwork } from "../network/network.ts";
import { createManualClock } from "./manual-clock.ts";

/** A machine with a clock and a route of the test's own. */
export function createMachine(t: TestContext) {
	const clock = createManualClock();
	let address: string | undefined = "192.168.1.7";
	const network = createNetwork({ clock, route: async () => address });
	t.after(() => network.close());
	return {
		clock,
		network,
		/** The cable is pulled out, or put in again. */
		connect(to: string | undefined) {
			address = to;
		},
	};
}

/** What a request fails with that no network leads anywhere. */
export const NO_NAME = "Connection error.: getaddrinfo ENOTFOUND api.example.com";

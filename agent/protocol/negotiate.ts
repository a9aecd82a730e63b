import { type WireError, wireError } from "./errors.ts";
import { PROTOCOLS } from "./limits.ts";

/** The newest version that both sides speak, if there is one. */
export function chooseProtocol(
	offered: readonly number[],
	spoken: readonly number[] = PROTOCOLS,
): number | undefined {
	const shared = offered.filter((version) => spoken.includes(version));
	return shared.length === 0 ? undefined : Math.max(...shared);
}

/** What an agent answers to a hello without a version it speaks, before it closes. */
export function mismatchError(offered: readonly number[], agent: string): WireError {
	return wireError(
		"protocol_mismatch",
		`Agent ${agent} speaks version ${list(PROTOCOLS)} of the protocol and this client version ${list(offered)}; ` +
			"update the older one.",
		{ protocols: [...PROTOCOLS], agent },
	);
}

/** The versions and the name of the agent in the data of a `protocol_mismatch`; empty where it states none. */
export function readMismatch(data: unknown): { protocols: number[]; agent?: string } {
	if (typeof data !== "object" || data === null) return { protocols: [] };
	const { protocols, agent } = data as { protocols?: unknown; agent?: unknown };
	return {
		protocols: Array.isArray(protocols) ? protocols.filter((each) => typeof each === "number") : [],
		...(typeof agent === "string" ? { agent } : {}),
	};
}

function list(versions: readonly number[]): string {
	return versions.join(", ");
}

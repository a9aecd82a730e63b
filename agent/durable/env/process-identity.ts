import type { ProcessSource } from "./processes/process-source.ts";
import { systemProcesses } from "./processes/system.ts";

/** Which process it was: pids come back, a pid with its start on one boot does not. */
export type ProcessIdentity = {
	readonly pid: number;
	/** In the system's own words: clock ticks since boot on Linux, `lstart` in UTC on macOS. */
	readonly start: string;
	readonly boot: string;
};

/** `unknown` is never a reason to kill, and never one to call something finished. */
export type Liveness = "alive" | "dead" | "unknown";

/**
 * Names this boot of the machine: Linux `random/boot_id`, macOS `kern.bootsessionuuid`. Undefined when the system
 * doesn't tell.
 */
export function bootId(): string | undefined {
	return systemProcesses.bootId();
}

/** Who `pid` is now; undefined when no such process runs, or when it can't be told. */
export function identityOf(
	pid: number,
	source: ProcessSource = systemProcesses,
): ProcessIdentity | undefined {
	const boot = source.bootId();
	const found = source.look(pid);
	if (boot === undefined || found.kind !== "found" || found.status.ended) return undefined;
	return { pid, start: found.status.start, boot };
}

/** Throws when the system doesn't tell who this process is; then no promise about processes can be kept. */
export function currentIdentity(): ProcessIdentity {
	const identity = identityOf(process.pid);
	if (identity === undefined)
		throw new Error(
			"This process can't find out its own start and boot: mount /proc (Linux) or make ps and sysctl available (macOS), then start again.",
		);
	return identity;
}

/** Whether the very process of this identity still runs: same boot, same pid, same start, and not ended. */
export function isAlive(identity: ProcessIdentity, source: ProcessSource = systemProcesses): Liveness {
	const boot = source.bootId();
	if (boot === undefined) return "unknown";
	if (boot !== identity.boot) return "dead";
	const found = source.look(identity.pid);
	switch (found.kind) {
		case "absent":
			return "dead";
		case "unreadable":
			return "unknown";
		case "found":
			return found.status.start === identity.start && !found.status.ended ? "alive" : "dead";
	}
}

/** The system's code of a failed call, such as `ESRCH`. */
export function errorCode(error: unknown): string | undefined {
	return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** Asks the kernel about a pid, or with a negative number about a process group, without sending anything. */
export function canSignal(target: number): "present" | "absent" {
	try {
		process.kill(target, 0);
		return "present";
	} catch (error) {
		// EPERM: there, and somebody else's.
		return errorCode(error) === "ESRCH" ? "absent" : "present";
	}
}

export type SignalOutcome = "sent" | "gone" | "refused";

/** Signals a pid, or with a negative number a process group. `refused`: it belongs to somebody else. */
export function sendSignal(target: number, signal: NodeJS.Signals): SignalOutcome {
	try {
		process.kill(target, signal);
		return "sent";
	} catch (error) {
		const code = errorCode(error);
		if (code === "ESRCH") return "gone";
		if (code === "EPERM") return "refused";
		throw error;
	}
}

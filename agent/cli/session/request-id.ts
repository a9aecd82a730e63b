import { randomUUID } from "node:crypto";
import { ProtocolError } from "../../protocol/index.ts";
import { CliError, wrongUsage } from "../cli-error.ts";

/**
 * The id that makes a message arrive exactly once, however often it has to be sent: the one that was given, else a new
 * one for this call.
 */
export function requestId(given: string | undefined): string {
	if (given === undefined) return randomUUID();
	if (!/^[!-~]{1,200}$/.test(given))
		throw wrongUsage("--request-id takes 1 to 200 visible ASCII characters, a new id for each new message.");
	return given;
}

/**
 * Sends something exactly once. When the agent was lost before its answer, nobody can tell whether it was taken; the
 * error then says how to send it again without doing it twice.
 */
export async function exactlyOnce<R>(id: string, send: () => Promise<R>): Promise<R> {
	try {
		return await send();
	} catch (error) {
		if (!(error instanceof ProtocolError) || !isUncertain(error.code)) throw error;
		throw new CliError(
			error.code,
			3,
			`${error.message} It may have been taken all the same: the same command with --request-id ${id} does it ` +
				"once.",
		);
	}
}

function isUncertain(code: string): boolean {
	return ["no_answer", "connection_lost", "shutting_down", "not_running", "cannot_connect"].includes(code);
}

import type { ExitCode } from "./exit-code.ts";

/** A command ends with this error: one sentence for a person, a code for scripts, an exit code. */
export class CliError extends Error {
	override readonly name = "CliError";
	readonly code: string;
	readonly exit: ExitCode;

	constructor(code: string, exit: ExitCode, message: string) {
		super(message);
		this.code = code;
		this.exit = exit;
	}
}

/** What was typed can't be understood. */
export function wrongUsage(message: string): CliError {
	return new CliError("wrong_usage", 2, message);
}

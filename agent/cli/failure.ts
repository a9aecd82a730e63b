import { exitCodeOf, ProtocolError } from "../protocol/index.ts";
import { CliError } from "./cli-error.ts";
import type { ExitCode } from "./exit-code.ts";

/** What a command ended with: for scripts a code, for people a sentence. */
export type Failure = { readonly code: string; readonly message: string; readonly exit: ExitCode };

/** An error as a command ends with it. One of the client's that was caused by ours stands for ours. */
export function asFailure(error: unknown): Failure {
	if (error instanceof CliError) return { code: error.code, message: error.message, exit: error.exit };
	if (error instanceof ProtocolError) {
		if (error.cause instanceof CliError) return asFailure(error.cause);
		return { code: error.code, message: error.message, exit: exitCodeOf(error.code) };
	}
	const message = error instanceof Error ? error.message : String(error);
	return { code: "internal", message: `outlive itself failed: ${message}. Please report it.`, exit: 1 };
}

import { styleText } from "node:util";
import { printable } from "./printable.ts";

export type Style = "plain" | "dim" | "bold" | "cyan" | "red" | "yellow";

/** Where a command says things: the result on standard output, words for a person beside it. */
export type Output = {
	readonly json: boolean;
	readonly stdout: NodeJS.WriteStream;
	readonly stderr: NodeJS.WriteStream;
	/** The command's result: as one line of JSON, or in plain words. */
	result(value: unknown, plain: () => string): void;
	/** Words for a person: with `--json` on standard error, so that standard output holds JSON alone. */
	say(text: string): void;
	/** Words for a person that are never part of the result. */
	note(text: string): void;
	/** What to do next; said only to someone who looks. */
	tip(text: string): void;
	/** A text of a model or a command: in a pipe as it is, on a terminal without what a terminal would obey. */
	shown(text: string): string;
	/** Coloured on a terminal that has colours, unless NO_COLOR is set. */
	style(style: Style, text: string): string;
};

export function createOutput(
	json: boolean,
	stdout: NodeJS.WriteStream = process.stdout,
	stderr: NodeJS.WriteStream = process.stderr,
): Output {
	const line = (stream: NodeJS.WriteStream, text: string) => void stream.write(`${text}\n`);
	return {
		json,
		stdout,
		stderr,
		result: (value, plain) => line(stdout, json ? JSON.stringify(value) : plain()),
		say: (text) => line(json ? stderr : stdout, text),
		note: (text) => line(stderr, text),
		tip: (text) => {
			if (stderr.isTTY) line(stderr, text);
		},
		shown: (text) => (stdout.isTTY ? printable(text) : text),
		style: (style, text) =>
			style === "plain" || text === "" ? text : styleText(style, text, { stream: stdout }),
	};
}

/**
 * When whoever reads the output has gone (`outlive ls | head -1`), the rest is of no use to anyone; without a reader of
 * its words for people the command goes on.
 */
export function endQuietlyWithoutReader(stdout: NodeJS.WriteStream, stderr: NodeJS.WriteStream): void {
	stdout.on("error", (error: NodeJS.ErrnoException) => {
		if (hasNoReader(error)) process.exit(0);
		stderr.write(`The output can't be written (${error.message}).\n`);
		process.exit(1);
	});
	stderr.on("error", () => {
		// What can't be said is not said; the exit code tells.
	});
}

/** A pipe that was closed, or a terminal that is gone. */
function hasNoReader({ code }: NodeJS.ErrnoException): boolean {
	return code === "EPIPE" || code === "EIO";
}

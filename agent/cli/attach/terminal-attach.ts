import { createInterface, type Interface } from "node:readline";
import { asFailure } from "../failure.ts";
import { followSession } from "../follow/follow-session.ts";
import { createPrinter, type Printer } from "../follow/printer.ts";
import type { Output } from "../output/output.ts";
import type { Link } from "../reach/link.ts";
import { createReadMark } from "../session/read-mark.ts";
import { createMessages } from "./messages.ts";
import { promptSheet } from "./prompt-sheet.ts";
import { terminalInput } from "./terminal-input.ts";
import { ATTACH_HELP, readTypedLine, unknownWords } from "./typed-line.ts";

const PROMPT = "> ";

/**
 * Follows a session on a terminal, with a line to type into below what is printed, until someone leaves.
 *
 * @returns once they have left; rejects when the session or the agent is lost for good
 */
export async function attachTerminal(link: Link, session: string, output: Output): Promise<void> {
	const input = terminalInput(process.stdin, output.stdout);
	const editor = createInterface({
		input: input.stream,
		output: output.stdout,
		prompt: PROMPT,
		terminal: true,
	});
	const sheet = promptSheet(editor, output);
	const messages = createMessages(link, session);
	const printer = createPrinter(sheet, { now: Date.now, isOwn: messages.isOwn });
	const mark = createReadMark(link, session, output);
	const left = untilLeft(editor);

	editor.on("line", (line) => {
		handle(input.expand(line));
		sheet.lineSent();
	});

	function handle(text: string): void {
		const typed = readTypedLine(text);
		switch (typed.kind) {
			case "message":
				messages.send(typed.text, typed.steer).catch((error) => refused(printer, error, "The message"));
				break;
			case "stop":
				link.order("session.stop", { session }).then(
					({ stopped }) => printer.note(stopped ? "stopped" : "there was nothing to stop"),
					(error) => refused(printer, error, "The stop"),
				);
				break;
			case "help":
				for (const line of ATTACH_HELP.split("\n")) printer.note(line);
				break;
			case "unknown":
				printer.note(unknownWords(typed.name));
				break;
			case "quit":
				left.leave();
				break;
			case "nothing":
				break;
		}
	}

	const following = followSession(
		link,
		session,
		{ from: "newest_message" },
		{
			onEvent: printer.print,
			onOpenLine: printer.open,
			onView: (view) => void mark.read(view),
		},
	);
	sheet.flush();
	try {
		await Promise.race([left.promise, following.lost]);
	} finally {
		following.stop();
		sheet.end();
		editor.close();
		input.end();
	}
}

/** Ctrl-C, Ctrl-D, a closed terminal, or `leave()`. */
function untilLeft(editor: Interface): { readonly promise: Promise<void>; leave(): void } {
	const { promise, resolve } = Promise.withResolvers<void>();
	editor.on("SIGINT", resolve);
	editor.on("close", resolve);
	return { promise, leave: resolve };
}

/** What was typed is in the editor's history: the arrow up brings it back. */
function refused(printer: Printer, error: unknown, what: string): void {
	printer.note(`${what} was not taken: ${asFailure(error).message}`);
}

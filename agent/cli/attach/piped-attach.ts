import type { ExitCode } from "../exit-code.ts";
import { createEventSink } from "../follow/event-sink.ts";
import { followSession } from "../follow/follow-session.ts";
import { untilInterrupted } from "../leaving.ts";
import type { Output } from "../output/output.ts";
import type { Link } from "../reach/link.ts";
import { linesOf } from "./lines-of.ts";
import { createMessages } from "./messages.ts";
import { ATTACH_HELP, readTypedLine, unknownWords } from "./typed-line.ts";

/** A view of a session names the end of its newest messages only, so that no more than this may be open at once. */
const MOST_OPEN = 20;

/**
 * Sends each line of standard input as a message and prints what happens, until all of them are answered or someone
 * leaves.
 *
 * @returns 0, or 1 when a message was refused or has no answer; and whether it was left before the end
 */
export async function attachPiped(
	link: Link,
	session: string,
	output: Output,
): Promise<{ readonly exit: ExitCode; readonly left: boolean }> {
	const sink = createEventSink(output);
	const messages = createMessages(link, session);
	const open = new Set<string>();
	const settled = new Map<string, "done" | "unanswered">();
	/** What waits for the end of messages. */
	let waiting: { readonly atMost: number; readonly go: () => void } | undefined;
	const { promise: seen, resolve: see } = Promise.withResolvers<void>();
	const leaving = untilInterrupted();
	let exit: ExitCode = 0;

	function settle(): void {
		for (const submission of open) {
			const status = settled.get(submission);
			if (status === undefined) continue;
			open.delete(submission);
			if (status === "unanswered") exit = 1;
		}
		if (waiting !== undefined && open.size <= waiting.atMost) waiting.go();
	}

	/** Resolves once at most so many messages are open. */
	function untilOpen(atMost: number): Promise<void> {
		return new Promise((resolve) => {
			waiting = { atMost, go: resolve };
			settle();
		});
	}

	async function handle(line: string): Promise<"quit" | undefined> {
		const typed = readTypedLine(line);
		if (typed.kind === "quit") return "quit";
		if (typed.kind === "help") output.note(ATTACH_HELP);
		if (typed.kind === "unknown") {
			exit = 1;
			output.note(`Not sent: ${unknownWords(typed.name)}.`);
		}
		if (typed.kind === "message") {
			await untilOpen(MOST_OPEN - 1);
			open.add(await messages.send(typed.text, typed.steer));
		}
		if (typed.kind === "stop") await link.order("session.stop", { session });
		return undefined;
	}

	async function readInput(): Promise<"quit" | "answered"> {
		// What is there already when the session is first seen isn't printed; and there may be no such session.
		await seen;
		for await (const line of linesOf(process.stdin)) if ((await handle(line)) === "quit") return "quit";
		await untilOpen(0);
		return "answered";
	}

	const following = followSession(
		link,
		session,
		{ from: "now" },
		{
			...sink,
			onEvent(event) {
				sink.onEvent(event);
				if (event.type === "submission") settled.set(event.submission, event.status);
			},
			onView() {
				see();
				settle();
			},
		},
	);
	try {
		const end = await Promise.race([readInput(), following.lost, leaving.interrupted]);
		return { exit: end === "interrupted" ? 130 : exit, left: end !== "answered" };
	} finally {
		following.stop();
		leaving.end();
		sink.end();
		process.stdin.destroy();
	}
}

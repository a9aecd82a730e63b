import type { SessionSummary } from "../../protocol/index.ts";
import type { ExitCode } from "../exit-code.ts";
import { untilInterrupted } from "../leaving.ts";
import type { Output } from "../output/output.ts";
import { printableLine } from "../output/printable.ts";
import { createProgressLine } from "../output/progress-line.ts";
import type { Link } from "../reach/link.ts";
import { outcomeOf, type Settled, settledIn, unansweredWords } from "../session/settled.ts";
import { watchSession } from "../session/watch-session.ts";
import { createEventSink } from "./event-sink.ts";
import { followSession } from "./follow-session.ts";

export type Sent = {
	readonly link: Link;
	readonly output: Output;
	readonly session: string;
	readonly submission: string;
};

/**
 * Waits for the answer to a message and prints it: with `--json` as one value, `head` first.
 *
 * @returns 0 when there is an answer, 1 when there is none, 130 after Ctrl-C
 */
export async function waitForAnswer(sent: Sent, head: object): Promise<ExitCode> {
	const { link, output, session } = sent;
	const leaving = untilInterrupted();
	const settling = untilSettled(sent);
	try {
		const settled = await Promise.race([settling.settled, leaving.interrupted]);
		settling.stop();
		if (settled === "interrupted") {
			output.note(leftWords(session));
			return 130;
		}
		const outcome = await outcomeOf(link, session, settled);
		if (output.json) output.result({ ...head, ...outcome }, () => "");
		else if (outcome.status === "done") output.result(outcome, () => output.shown(outcome.answer));
		if (outcome.status === "done") return 0;
		output.note(unansweredWords(outcome.reason ?? "", session));
		return 1;
	} finally {
		settling.stop();
		leaving.end();
	}
}

function untilSettled({ link, output, session, submission }: Sent) {
	const { promise, resolve, reject } = Promise.withResolvers<Settled>();
	const progress = createProgressLine(output);
	let asked = "";
	const stopWatching = watchSession(link, session, {
		onView(view) {
			try {
				const settled = settledIn(view, submission);
				if (settled !== undefined) return resolve(settled);
			} catch (error) {
				return reject(error);
			}
			const { state } = view.session;
			if (state.kind === "needs_you" && state.request.id !== asked) {
				asked = state.request.id;
				progress.show(undefined);
				output.note(`The session needs you: ${printableLine(state.request.text)}`);
			}
			progress.show(activityOf(view.session));
		},
		onLost: reject,
	});
	return {
		settled: promise,
		stop() {
			stopWatching();
			progress.end();
		},
	};
}

function activityOf({ state, activity }: SessionSummary): { text: string; since: number } | undefined {
	if (activity !== undefined) {
		const { text, tool, since } = activity;
		return { text: tool === undefined || tool === text ? text : `${text} ${tool}`, since };
	}
	return state.kind === "running" ? { text: "running", since: state.since } : undefined;
}

/**
 * Prints what happens from a message on until it is answered.
 *
 * @returns as `waitForAnswer`
 */
export async function followAnswer(sent: Sent): Promise<ExitCode> {
	const { link, output, session, submission } = sent;
	const leaving = untilInterrupted();
	const sink = createEventSink(output);
	const settled = Promise.withResolvers<ExitCode>();
	const following = followSession(
		link,
		session,
		{ from: "message", submission },
		{
			...sink,
			onEvent(event) {
				sink.onEvent(event);
				if (event.type === "submission" && event.submission === submission)
					settled.resolve(event.status === "done" ? 0 : 1);
			},
		},
	);
	try {
		const end = await Promise.race([settled.promise, following.lost, leaving.interrupted]);
		if (end !== "interrupted") return end;
		sink.note(leftWords(session));
		return 130;
	} finally {
		following.stop();
		leaving.end();
	}
}

/** Said when someone leaves a session that goes on without them. */
export function leftWords(session: string): string {
	return `You left; the session goes on. Come back with: outlive follow ${session}`;
}

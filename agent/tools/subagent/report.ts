import type { Ended } from "./drive.ts";

/** How a background subagent's answer reaches its parent: a message that says whose it is. */
export function reportText(description: string, ended: Ended): string {
	return `<subagent-result description=${JSON.stringify(description)} status="${ended.kind}">\n${answerText(ended)}\n</subagent-result>`;
}

/** What the model is told of an end, in the words of the subagent where it had any. */
export function answerText(ended: Ended): string {
	const last = ended.said === "" ? "It had said nothing yet." : `The last it said:\n\n${ended.said}`;
	switch (ended.kind) {
		case "answered":
			return ended.said === "" ? "The subagent ended without a word." : ended.said;
		case "failed":
			return `The subagent failed (${ended.reason}). ${last}`;
		case "stopped":
			return `${stopWords(ended.by)} ${last}`;
	}
}

function stopWords(by: Extract<Ended, { kind: "stopped" }>["by"]): string {
	switch (by) {
		case "cost":
			return "The subagent was stopped: it had spent all it was allowed to.";
		case "time":
			return "The subagent was stopped: its time was up.";
		case "someone":
			return "The subagent was stopped by a person.";
	}
}

const REPORT =
	/^<subagent-result description=("(?:[^"\\]|\\.)*") status="(answered|stopped|failed)">\n([\s\S]*)\n<\/subagent-result>$/;

/** A message read as such a report; undefined for every other. */
export function readReport(
	text: string,
): { readonly description: string; readonly status: Ended["kind"]; readonly answer: string } | undefined {
	const [, description, status, answer] = REPORT.exec(text) ?? [];
	if (description === undefined || status === undefined || answer === undefined) return undefined;
	try {
		return { description: String(JSON.parse(description)), status: status as Ended["kind"], answer };
	} catch {
		// Looks like a report, but no report of ours.
		return undefined;
	}
}

import type { JsonValue, SystemEntry } from "../../agent/protocol/index.ts";
import { clockTime } from "../words/time.ts";

/**
 * What a mark in the transcript says; undefined for what needs none.
 *
 * @param isBeginning whether no answer came before it: the first instructions are no change
 */
export function systemWords(entry: SystemEntry, isBeginning: boolean): string | undefined {
	switch (entry.kind) {
		case "pi.reset":
			return "The model starts afresh here. What came before stays readable.";
		case "outlive.restart":
			return `The agent was restarted at ${clockTime(entry.at)}; the session went on.`;
		// The first answer of the other model says it.
		case "outlive.model":
			return undefined;
		case "pi.system":
			return isBeginning ? undefined : promptWords(entry.details);
		default:
			return entry.text.trim() === "" ? undefined : entry.text.trim();
	}
}

/** What the mark of a summary says. */
export function summaryWords({ details }: SystemEntry): string {
	const fields = typeof details === "object" && details !== null && !Array.isArray(details) ? details : {};
	switch (fields.reason) {
		case "manual":
			return "Compacted by hand";
		case "overflow":
			return "Compacted: it was too long for the model";
		default:
			return "Compacted to make room";
	}
}

function promptWords(details: JsonValue | undefined): string | undefined {
	const { sections, toolsAdded, toolsRemoved } = listsOf(details);
	const parts = [
		...(sections.length > 0 ? [`instructions changed (${sections.join(", ")})`] : []),
		...(toolsAdded.length > 0 ? [`tools added (${toolsAdded.join(", ")})`] : []),
		...(toolsRemoved.length > 0 ? [`tools removed (${toolsRemoved.join(", ")})`] : []),
	];
	return parts.length === 0 ? undefined : `The model was told: ${parts.join(", ")}.`;
}

function listsOf(details: JsonValue | undefined) {
	const fields = typeof details === "object" && details !== null && !Array.isArray(details) ? details : {};
	const list = (value: JsonValue | undefined) =>
		Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
	return {
		sections: list(fields.sections),
		toolsAdded: list(fields.toolsAdded),
		toolsRemoved: list(fields.toolsRemoved),
	};
}

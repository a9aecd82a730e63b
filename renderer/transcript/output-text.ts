import type { JsonValue, LiveTool, ToolResultEntry } from "../../agent/protocol/index.ts";

/** A command's output as its row shows it. */
export type ShownOutput = {
	/** The beginning, where something after it is left out. */
	readonly head: string;
	readonly tail: string;
	/** What the model did not see, in its own words; absent when it saw all. */
	readonly leftOut?: string;
	/** How long the whole output is, in bytes, where that is known. */
	readonly bytes?: number;
	/** The whole output has colours, which the model's text of it hasn't. */
	readonly hasColours?: true;
};

/** The line by which the agent marks what it left out between the beginning and the end of an output. */
const LEFT_OUT = /^\[… ([\d,]+) bytes left out(?:, [^\]]*)? …\]$/m;

export function resultOutput(result: ToolResultEntry): ShownOutput {
	const bytes = spoolBytes(result.details);
	const known = { ...(bytes === undefined ? {} : { bytes }), ...coloursOf(result.details) };
	const mark = LEFT_OUT.exec(result.text);
	if (mark !== null)
		return {
			head: result.text.slice(0, mark.index).trimEnd(),
			tail: result.text.slice(mark.index + mark[0].length).replace(/^\n/, ""),
			leftOut: `${mark[1]} bytes the model did not see`,
			...known,
		};
	if (result.cut !== undefined)
		return { head: result.text, tail: "", leftOut: "more than is shown here", ...known };
	return { head: "", tail: result.text, ...known };
}

export function liveOutput(live: LiveTool): ShownOutput {
	const { output, droppedBytes } = live;
	if (droppedBytes === undefined) return { head: "", tail: output };
	return { head: "", tail: output, leftOut: `${droppedBytes.toLocaleString("en-US")} bytes before this` };
}

/** The last lines of a text, and how many there are before them. */
export function lastLines(text: string, most: number): { readonly text: string; readonly before: number } {
	const lines = text.replace(/\n+$/, "").split("\n");
	const before = Math.max(0, lines.length - most);
	return { text: lines.slice(before).join("\n"), before };
}

function coloursOf(details: JsonValue | undefined): { readonly hasColours?: true } {
	if (typeof details !== "object" || details === null || Array.isArray(details)) return {};
	return details.coloured === true ? { hasColours: true } : {};
}

function spoolBytes(details: JsonValue | undefined): number | undefined {
	if (typeof details !== "object" || details === null || Array.isArray(details)) return undefined;
	const { spool } = details;
	if (typeof spool !== "object" || spool === null || Array.isArray(spool)) return undefined;
	return typeof spool.bytes === "number" ? spool.bytes : undefined;
}

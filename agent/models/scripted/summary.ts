import type { Message } from "@earendil-works/pi-ai";
import { contentText } from "@earendil-works/pi-ai";
import { SUMMARY_OPENING, SUMMARY_SYSTEM_PROMPT } from "../../durable/index.ts";

const HEADINGS = [
	"Goal",
	"Constraints and preferences",
	"Decisions",
	"Files",
	"State",
	"Next steps",
] as const;
/** How many notes stand under one heading, the newest ones, and how long each may be. */
const MOST_NOTES = 20;
const MOST_CHARACTERS = 200;

type Heading = (typeof HEADINGS)[number];
type Notes = Record<Heading, string[]>;

/** The conversation that a request wants summarized, as text, and what to dwell on; undefined for any other request. */
export function readSummaryRequest(
	messages: readonly Message[],
): { readonly conversation: string; readonly focus?: string } | undefined {
	const [system, asked] = messages;
	if (system?.role !== "system" || asked?.role !== "user") return undefined;
	if (contentText(system.content) !== SUMMARY_SYSTEM_PROMPT) return undefined;
	const text = contentText(asked.content);
	const conversation = /<conversation>\n(.*)\n<\/conversation>/s.exec(text)?.[1] ?? "";
	const focus = /\n\nAdditional focus: (.*)$/s.exec(text.slice(text.lastIndexOf("</conversation>")))?.[1];
	return { conversation, ...(focus === undefined ? {} : { focus }) };
}

/**
 * A summary by fixed rules: what was asked for, which files and commands came up, and how it went, with what an earlier
 * summary at the start says of the same.
 */
export function summarize(conversation: string, focus: string | undefined): string {
	const notes = emptyNotes();
	for (const { label, text } of partsOf(conversation)) {
		if (label === "User" && text.startsWith(SUMMARY_OPENING)) takeOver(notes, text);
		else if (label === "User") note(notes, "Goal", text);
		else if (label === "Assistant tool calls") noteCalls(notes, text);
		else if (label === "Tool result") note(notes, "State", `A call came back with: ${firstLine(text)}`);
	}
	if (focus !== undefined) note(notes, "Constraints and preferences", `To be kept in mind: ${focus}`);
	const newest = notes.Goal.at(-1);
	if (newest !== undefined) notes["Next steps"] = [`Go on from: ${newest}`];
	return HEADINGS.map((heading) => `## ${heading}\n${listOf(notes[heading])}`).join("\n\n");
}

type Part = { readonly label: string; readonly text: string };

function partsOf(conversation: string): Part[] {
	const pieces = conversation.split(/(?:^|\n\n)\[(User|Assistant(?: thinking| tool calls)?|Tool result)\]: /);
	const parts: Part[] = [];
	for (let index = 1; index < pieces.length; index += 2)
		parts.push({ label: pieces[index]!, text: pieces[index + 1]! });
	return parts;
}

/** Calls are written `bash(command="ls"); read(path="a.txt")`; the argument says what matters of them. */
function noteCalls(notes: Notes, text: string): void {
	for (const [, path] of text.matchAll(/[(,] ?path="((?:[^"\\]|\\.)*)"/g)) note(notes, "Files", path!);
	for (const [, command] of text.matchAll(/[(,] ?command="((?:[^"\\]|\\.)*)"/g))
		note(notes, "State", `Was run: ${command}`);
}

function takeOver(notes: Notes, earlier: string): void {
	let heading: Heading | undefined;
	for (const line of earlier.split("\n")) {
		if (line.startsWith("## ")) heading = HEADINGS.find((each) => line === `## ${each}`);
		else if (heading !== undefined && line.startsWith("- ")) note(notes, heading, line.slice(2));
	}
}

function note(notes: Notes, heading: Heading, text: string): void {
	const line = Array.from(firstLine(text)).slice(0, MOST_CHARACTERS).join("");
	if (line === "") return;
	notes[heading] = [...notes[heading].filter((other) => other !== line), line].slice(-MOST_NOTES);
}

function emptyNotes(): Notes {
	return Object.fromEntries(HEADINGS.map((heading) => [heading, []])) as unknown as Notes;
}

function firstLine(text: string): string {
	return text.trim().split("\n", 1)[0]!.trim();
}

function listOf(notes: readonly string[]): string {
	return notes.length === 0 ? "None." : notes.map((line) => `- ${line}`).join("\n");
}

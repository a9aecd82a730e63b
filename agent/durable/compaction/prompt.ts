/** How a summary begins, in the user message that stands for everything before it. */
export const SUMMARY_OPENING =
	"The conversation history before this point was compacted into the following summary:";

/** The summary as the model will see it. */
export function wrapSummary(summary: string): string {
	return `${SUMMARY_OPENING}\n\n<summary>\n${summary}\n</summary>`;
}

/** The summary itself, of an entry's text; a text that was wrapped by no one stays as it is. */
export function unwrapSummary(text: string): string {
	return /^[^\n]*\n\n<summary>\n(.*)\n<\/summary>$/s.exec(text)?.[1] ?? text;
}

/** Says who writes a summary; a request that begins with it asks for one. */
export const SUMMARY_SYSTEM_PROMPT = `You write the hand-over notes of a coding session. The part of the session you are given is about to be taken away; whoever goes on with the work will see only your notes and the newest messages after it. Don't go on with the conversation, don't carry out what is asked in it and don't answer its questions: write the notes and nothing else.`;

const SUMMARY_PROMPT = `Write the notes from which the work above can go on as if nothing had been taken away. Use exactly these headings, in this order, and write "None." under one that has nothing:

## Goal
What the person wants, in their own words where those matter, with every request that still stands and every change of mind. Quote the newest request that isn't finished.

## Constraints and preferences
What must hold, what must not be touched, and how the person wants the work done.

## Decisions
What was decided, and why. What was tried and given up, and why, so that nobody tries it again.

## Files
One line for each file that was created, changed, deleted, or read and still matters: its path, and what it holds or what was changed in it.

## State
What is done and checked, what is half done, and what is broken. Commands that matter with what came out of them, error messages word for word, what is still running.

## Next steps
What comes next, in order, beginning with what was under way at the end.

Keep paths, names, commands, numbers, ids and error messages exactly as they are. Write nothing that isn't in the conversation. Where the conversation begins with an earlier summary, take over everything in it that still holds, its files included, and correct what has changed: the earlier one won't be seen again. Be brief: leave out what the work can do without.`;

/** The user message that asks for a summary of a conversation given as text. */
export function summaryRequestText(conversation: string, instructions: string | undefined): string {
	const focus = instructions === undefined ? "" : `\n\nAdditional focus: ${instructions}`;
	return `<conversation>\n${conversation}\n</conversation>\n\n${SUMMARY_PROMPT}${focus}`;
}

import { findExact } from "./exact-match.ts";
import { lineEndAt, splitLines, withLineEndsOf, withPlainLineEnds } from "./line-ends.ts";
import { applyReplacements, lineNumberAt, type Replacement } from "./replacement.ts";
import { findTolerant } from "./tolerant-match.ts";

export type TextEdit = {
	readonly oldString: string;
	readonly newString: string;
	readonly replaceAll: boolean;
};

export type EditedText = {
	readonly text: string;
	readonly places: number;
	/** The place was found only by the tolerant pass. */
	readonly tolerant: boolean;
};

/** The tolerant pass goes through a file line by line, several times; longer files are left to the exact one. */
const maxTolerantLength = 1024 * 1024;

const mostLinesNamed = 5;

/**
 * Replaces `oldString` in `text`: exactly, where that is in one place or all are wanted, else in the one place that
 * reads the same. Every line end outside the changed lines stays. Throws a sentence for the model otherwise; `name` is
 * the file's.
 */
export function editText(name: string, text: string, edit: TextEdit): EditedText {
	const { oldString, newString, replaceAll } = edit;
	if (oldString === "")
		throw new Error(
			`old_string is empty, so it names no place in ${name}. To replace the whole file, use write.`,
		);
	if (oldString === newString) throw new Error("old_string and new_string are the same: nothing to change.");
	const exact = findExact(text, oldString).map((place) => ({ ...place, text: newString }));
	// A model that gives the file's own \r back means the line ends it writes.
	const ends = oldString.includes("\r") && text.includes(oldString) ? "as given" : "as in the file";
	if (exact.length === 1 || (exact.length > 1 && replaceAll))
		return { text: replace(name, text, exact, ends), places: exact.length, tolerant: false };
	if (exact.length > 1)
		throw new Error(`${manyPlaces(name, text, exact)} or set replace_all to change them all.`);
	const tolerant = text.length <= maxTolerantLength ? findTolerant(text, oldString, newString) : [];
	if (tolerant.length === 1)
		return { text: replace(name, text, tolerant, "as in the file"), places: 1, tolerant: true };
	if (tolerant.length > 1)
		throw new Error(
			`old_string is not in ${name} exactly as given. Apart from white space and quotes, ${manyPlaces(name, text, tolerant)} and copy them exactly.`,
		);
	throw new Error(`old_string was not found in ${name}. ${nearMiss(text, oldString)}`);
}

function replace(
	name: string,
	text: string,
	replacements: readonly Replacement[],
	ends: "as given" | "as in the file",
): string {
	const withEnds = replacements.map(({ start, end, text: fresh }) => {
		const kept = withLineEndsOf(text.slice(start, end), fresh, lineEndAt(text, end));
		return { start, end, text: ends === "as given" ? fresh : kept };
	});
	const edited = applyReplacements(text, withEnds);
	if (edited === text) throw new Error(`${name} already reads that way: nothing to change.`);
	return edited;
}

function manyPlaces(name: string, text: string, places: readonly Replacement[]): string {
	const lines = places.slice(0, mostLinesNamed).map(({ start }) => lineNumberAt(text, start));
	const more = places.length > mostLinesNamed ? ", …" : "";
	return `old_string is in ${places.length} places of ${name} (lines ${lines.join(", ")}${more}). Add lines around it so that it names one,`;
}

/** Where the first line of `wanted` is, since what follows it is then what differs. */
function nearMiss(text: string, wanted: string): string {
	const again = "Read the file again and copy the lines exactly.";
	const first = splitLines(withPlainLineEnds(wanted)).find(({ content }) => content.trim() !== "");
	if (first === undefined) return again;
	const sought = first.content.trim();
	const found = splitLines(text).flatMap(({ content }, index) =>
		content.trim() === sought ? [index + 1] : [],
	);
	if (found.length === 0) return again;
	const lines = found.slice(0, mostLinesNamed).join(", ");
	return `Its first line is there (line ${lines}), what follows differs. ${again}`;
}

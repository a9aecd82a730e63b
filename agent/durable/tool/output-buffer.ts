/** How much of a call's running output is kept. */
export type OutputLimits = {
	readonly maxBytes: number;
	readonly maxLines: number;
	readonly retain: "head" | "tail";
};

export const DEFAULT_LIMITS: OutputLimits = { maxBytes: 50 * 1024, maxLines: 2_000, retain: "head" };

export type RetainedOutput = {
	readonly text: string;
	readonly droppedBytes: number;
	readonly droppedLines: number;
};

const encoder = new TextEncoder();

/** Collects output and keeps its first or last whole lines within the limits. */
export function createOutputBuffer(limits: OutputLimits) {
	const decoder = new TextDecoder();
	let text = "";
	let droppedBytes = 0;
	let droppedLines = 0;
	let full = false;

	function bound(): void {
		const bounded = boundText(text, limits);
		if (bounded.droppedBytes === 0) return;
		text = bounded.text;
		droppedBytes += bounded.droppedBytes;
		droppedLines += bounded.droppedLines;
		full = limits.retain === "head";
	}

	return {
		append(chunk: string | Uint8Array): void {
			const added = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
			if (full) {
				droppedBytes += encoder.encode(added).length;
				droppedLines += countLines(added);
				return;
			}
			text += added;
			// A tail is cut once it is well past its limits, so that appending stays cheap.
			if (limits.retain === "head" || text.length > limits.maxBytes * 2) bound();
		},
		retained(): RetainedOutput {
			bound();
			return { text: withoutControls(text), droppedBytes, droppedLines };
		},
	};
}

/** The first or last whole lines of a text within the limits; one overlong line is cut on a character boundary. */
export function boundText(text: string, limits: OutputLimits): RetainedOutput {
	const bytes = encoder.encode(text);
	if (bytes.length <= limits.maxBytes && countLines(text) <= limits.maxLines)
		return { text, droppedBytes: 0, droppedLines: 0 };
	const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
	if (limits.retain === "tail") lines.reverse();
	const kept: string[] = [];
	let size = 0;
	for (const line of lines) {
		const length = encoder.encode(line).length;
		if (kept.length === limits.maxLines || size + length > limits.maxBytes) break;
		kept.push(line);
		size += length;
	}
	if (kept.length === 0) kept.push(cutLine(lines[0] ?? "", limits));
	if (limits.retain === "tail") kept.reverse();
	const shown = kept.join("");
	return {
		text: shown,
		droppedBytes: bytes.length - encoder.encode(shown).length,
		droppedLines: countLines(text) - countLines(shown),
	};
}

function cutLine(line: string, { maxBytes, retain }: OutputLimits): string {
	const bytes = encoder.encode(line);
	const part = retain === "head" ? bytes.subarray(0, maxBytes) : bytes.subarray(bytes.length - maxBytes);
	return new TextDecoder().decode(part).replaceAll("\uFFFD", "");
}

function countLines(text: string): number {
	let count = 0;
	for (let i = text.indexOf("\n"); i !== -1; i = text.indexOf("\n", i + 1)) count++;
	return text === "" || text.endsWith("\n") ? count : count + 1;
}

/** Control characters other than tab and newline are of no use to a model. */
function withoutControls(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
	return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "");
}

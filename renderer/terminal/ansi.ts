/** How a run of text looks. Colours are the 16 named ones of a terminal, 0 to 15; finer ones become the nearest. */
export type AnsiStyle = {
	readonly colour?: number;
	readonly bold?: true;
	readonly dim?: true;
	readonly italic?: true;
	readonly underline?: true;
};

export type AnsiRun = { readonly text: string; readonly style: AnsiStyle };

type Pen = {
	foreground?: number;
	background?: number;
	bold?: true;
	dim?: true;
	italic?: true;
	underline?: true;
};

/** A page with more coloured runs than this would cost more than the colours are worth. */
const MOST_RUNS = 2000;

// A control sequence; an operating system command; any other escape; a control character that isn't \n or \t.
const SEQUENCE =
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
	/\x1b\[([0-9;:?<=>]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b-\x1f\x7f]/g;

/**
 * Splits output into runs of one style each. Sequences that aren't colours are left out, and so are control characters.
 * Backgrounds are not drawn: a background with no foreground of its own becomes the text's colour, so that every text
 * stays readable in both schemes.
 */
export function parseAnsi(output: string): AnsiRun[] {
	const runs: AnsiRun[] = [];
	let pen: Pen = {};
	let style: AnsiStyle = {};
	let end = 0;
	const add = (text: string) => {
		if (text === "") return;
		const last = runs.at(-1);
		if (last !== undefined && (last.style === style || runs.length >= MOST_RUNS))
			runs[runs.length - 1] = { text: last.text + text, style: last.style };
		else runs.push({ text, style });
	};
	for (const match of output.matchAll(SEQUENCE)) {
		add(output.slice(end, match.index));
		end = match.index + match[0].length;
		if (match[2] !== "m") continue;
		pen = applyCodes(pen, match[1] ?? "");
		const next = styleOf(pen);
		if (!isSameStyle(style, next)) style = next;
	}
	add(output.slice(end));
	return runs;
}

/** The text alone. */
export function stripAnsi(output: string): string {
	return output.replace(SEQUENCE, "");
}

function applyCodes(before: Pen, parameters: string): Pen {
	let pen = { ...before };
	const codes = parameters.split(/[;:]/).map((code) => (code === "" ? 0 : Number(code)));
	for (let at = 0; at < codes.length; at++) {
		const code = codes[at]!;
		if (code === 38 || code === 48) {
			const { colour, used } = extendedColour(codes.slice(at + 1));
			if (colour !== undefined) pen[code === 38 ? "foreground" : "background"] = colour;
			at += used;
		} else pen = applyCode(pen, code);
	}
	return pen;
}

function applyCode(pen: Pen, code: number): Pen {
	const { foreground: _, ...noForeground } = pen;
	const { background: __, ...noBackground } = pen;
	const { bold: ___, dim: ____, ...noWeight } = pen;
	if (code === 0) return {};
	if (code === 1) return { ...pen, bold: true };
	if (code === 2) return { ...pen, dim: true };
	if (code === 3) return { ...pen, italic: true };
	if (code === 4) return { ...pen, underline: true };
	if (code === 22) return noWeight;
	if (code === 23) return without(pen, "italic");
	if (code === 24) return without(pen, "underline");
	if (code >= 30 && code <= 37) return { ...pen, foreground: code - 30 };
	if (code === 39) return noForeground;
	if (code >= 40 && code <= 47) return { ...pen, background: code - 40 };
	if (code === 49) return noBackground;
	if (code >= 90 && code <= 97) return { ...pen, foreground: code - 82 };
	if (code >= 100 && code <= 107) return { ...pen, background: code - 92 };
	return pen;
}

function without(pen: Pen, key: "italic" | "underline"): Pen {
	const rest = { ...pen };
	delete rest[key];
	return rest;
}

/** `5;n` is one of 256 colours, `2;r;g;b` a free one. */
function extendedColour([kind, ...rest]: readonly number[]): { colour?: number; used: number } {
	if (kind === 5) return { colour: ofPalette(rest[0] ?? 0), used: 2 };
	if (kind === 2) return { colour: nearest(rest[0] ?? 0, rest[1] ?? 0, rest[2] ?? 0), used: 4 };
	return { used: 1 };
}

function ofPalette(index: number): number {
	if (index < 16) return index;
	if (index >= 232) return index < 244 ? 8 : 7;
	const cube = index - 16;
	const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
	return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

/** The named colour of the same hue: a bit for each channel that is near the strongest one. */
function nearest(red: number, green: number, blue: number): number {
	const most = Math.max(red, green, blue);
	const least = Math.min(red, green, blue);
	if (most - least < 32) return most > 170 ? 7 : 8;
	const limit = least + (most - least) / 2;
	const bits = (red > limit ? 1 : 0) | (green > limit ? 2 : 0) | (blue > limit ? 4 : 0);
	return most > 200 ? bits + 8 : bits;
}

function styleOf({ foreground, background, ...rest }: Pen): AnsiStyle {
	// Black and white on a coloured ground are there for that ground's sake.
	const isPlain = foreground === undefined || [0, 7, 8, 15].includes(foreground);
	const hasGround = background !== undefined && ![0, 7, 8, 15].includes(background);
	const colour = isPlain && hasGround ? background : foreground;
	return colour === undefined ? rest : { ...rest, colour };
}

function isSameStyle(one: AnsiStyle, other: AnsiStyle): boolean {
	return (
		one.colour === other.colour &&
		one.bold === other.bold &&
		one.dim === other.dim &&
		one.italic === other.italic &&
		one.underline === other.underline
	);
}

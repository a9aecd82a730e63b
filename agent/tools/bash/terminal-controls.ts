import type { Extent, Screen } from "./terminal-screen.ts";

type Control = (screen: Screen, first: number, second: number) => void;

/** Control characters and short escapes. */
export const SHORT_CONTROLS: Readonly<Record<string, (screen: Screen) => void>> = {
	"\n": (screen) => screen.newline(),
	"\v": (screen) => screen.newline(),
	"\f": (screen) => screen.newline(),
	"\r": (screen) => screen.toColumn(0),
	"\b": (screen) => screen.moveBy(0, -1),
	"\t": (screen) => screen.write("\t"),
	"\u001b7": (screen) => screen.saveCursor(),
	"\u001b8": (screen) => screen.restoreCursor(),
	"\u001bM": (screen) => screen.moveBy(-1, 0),
	"\u001bc": (screen) => screen.reset(),
};

const EXTENTS: readonly (Extent | undefined)[] = ["after", "before", "all"];

/** Control sequences (ECMA-48) by their last character; a parameter that is missing is 0. */
const SEQUENCES: Readonly<Record<string, Control>> = {
	A: (screen, count) => screen.moveBy(-atLeastOne(count), 0),
	B: (screen, count) => screen.moveBy(atLeastOne(count), 0),
	C: (screen, count) => screen.moveBy(0, atLeastOne(count)),
	D: (screen, count) => screen.moveBy(0, -atLeastOne(count)),
	E(screen, count) {
		screen.moveBy(atLeastOne(count), 0);
		screen.toColumn(0);
	},
	F(screen, count) {
		screen.moveBy(-atLeastOne(count), 0);
		screen.toColumn(0);
	},
	G: (screen, column) => screen.toColumn(atLeastOne(column) - 1),
	H: (screen, row, column) => screen.moveTo(atLeastOne(row) - 1, atLeastOne(column) - 1),
	J(screen, what) {
		const extent = EXTENTS[what];
		if (extent !== undefined) screen.eraseInScreen(extent);
		else if (what === 3) screen.eraseScrolled();
	},
	K(screen, what) {
		const extent = EXTENTS[what];
		if (extent !== undefined) screen.eraseInLine(extent);
	},
	P: (screen, count) => screen.deleteCharacters(atLeastOne(count)),
	X: (screen, count) => screen.eraseCharacters(atLeastOne(count)),
	"@": (screen, count) => screen.insertBlanks(atLeastOne(count)),
	d: (screen, row) => screen.toRow(atLeastOne(row) - 1),
	f: (screen, row, column) => screen.moveTo(atLeastOne(row) - 1, atLeastOne(column) - 1),
	s: (screen) => screen.saveCursor(),
	u: (screen) => screen.restoreCursor(),
};

/** Carries out `ESC [ parameters final`; one that isn't known does nothing. */
export function controlSequence(screen: Screen, parameters: string, final: string): void {
	if (final === "m") screen.addStyle(parameters);
	else if (parameters.startsWith("?")) changeMode(screen, parameters.slice(1).split(";"), final);
	else {
		const [first = 0, second = 0] = parameters.split(";").map((part) => Number.parseInt(part, 10) || 0);
		if (Object.hasOwn(SEQUENCES, final)) SEQUENCES[final]!(screen, first, second);
	}
}

function changeMode(screen: Screen, modes: readonly string[], final: string): void {
	if (!modes.some((mode) => mode === "1049" || mode === "1047" || mode === "47")) return;
	if (final === "h") screen.enterSecondPage();
	else if (final === "l") screen.leaveSecondPage();
}

function atLeastOne(count: number): number {
	return Math.max(1, count);
}

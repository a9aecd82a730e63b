/** How well a path answers to what was typed: lower is better; undefined when it doesn't. Case is ignored. */
export function matchRank(path: string, typed: string): number | undefined {
	const candidate = path.toLowerCase();
	const query = typed.toLowerCase();
	const name = candidate.slice(candidate.lastIndexOf("/") + 1);
	const hidden = /(^|\/)\./.test(path) && !typed.startsWith(".") && !typed.includes("/.") ? HIDDEN : 0;
	if (name.startsWith(query)) return hidden + NAME_BEGINS;
	if (candidate.startsWith(query)) return hidden + PATH_BEGINS;
	if (name.includes(query)) return hidden + NAME_HOLDS;
	if (candidate.includes(query)) return hidden + PATH_HOLDS;
	return holdsInOrder(candidate, query) ? hidden + LETTERS_IN_ORDER : undefined;
}

const NAME_BEGINS = 0;
const PATH_BEGINS = 1;
const NAME_HOLDS = 2;
const PATH_HOLDS = 3;
const LETTERS_IN_ORDER = 4;
/** Every hidden path comes after every visible one, unless a hidden one was typed. */
const HIDDEN = 10;

function holdsInOrder(text: string, letters: string): boolean {
	let at = 0;
	for (const letter of letters) {
		at = text.indexOf(letter, at) + 1;
		if (at === 0) return false;
	}
	return true;
}

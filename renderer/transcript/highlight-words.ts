const NAME = "found";

/** Colours words in an element's text, as it is drawn now, without elements of their own; until what it returns is called. */
export function highlightWords(element: HTMLElement, words: readonly string[]): () => void {
	const wanted = words.filter((word) => word !== "");
	const ranges = wanted.length === 0 ? [] : [...rangesIn(element, wanted)];
	const all = CSS.highlights.get(NAME) ?? new Highlight();
	CSS.highlights.set(NAME, all);
	for (const range of ranges) all.add(range);
	return () => {
		for (const range of ranges) all.delete(range);
	};
}

/** @param words in small letters */
function* rangesIn(element: HTMLElement, words: readonly string[]): Generator<Range> {
	const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const node = texts.currentNode as Text;
		const text = node.data.toLowerCase();
		// Letters whose small form is longer would shift what comes after them.
		if (text.length !== node.data.length) continue;
		for (const word of words)
			for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
				const range = document.createRange();
				range.setStart(node, at);
				range.setEnd(node, at + word.length);
				yield range;
			}
	}
}

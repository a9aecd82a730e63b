/** Tokens of code, off the main thread. Says nothing but where they are, so that nothing it says can be markup. */
import { common, createLowlight } from "lowlight";
import { type ColourAnswer, type ColourRequest, groupOf } from "./code-tokens.ts";

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

const lowlight = createLowlight(common);

self.onmessage = ({ data }: MessageEvent<ColourRequest>) => {
	const { id, language, code } = data;
	const answer: ColourAnswer = { id, tokens: lowlight.registered(language) ? tokensOf(language, code) : [] };
	self.postMessage(answer);
};

/** Start, end and group of each token, flat; inner tokens come after the outer ones they lie in. */
function tokensOf(language: string, code: string): number[] {
	const tokens: number[] = [];
	let at = 0;
	const visit = (node: Node) => {
		if (node.type === "text") at += node.value.length;
		if (node.type !== "element") return;
		const group = groupOf(String((node.properties.className as string[] | undefined)?.[0] ?? ""));
		const start = at;
		const place = tokens.length;
		for (const child of node.children) visit(child as Node);
		if (group !== undefined) tokens.splice(place, 0, start, at, group);
	};
	for (const child of lowlight.highlight(language, code).children) visit(child);
	return tokens;
}

import type { Readable } from "node:stream";

/** The lines of a stream in UTF-8, without their line ends. Only a line feed ends a line, as in any pipe. */
export async function* linesOf(input: Readable): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = "";
	for await (const chunk of input) {
		const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split("\n");
		rest = lines.pop()!;
		yield* lines;
	}
	rest += decoder.decode();
	if (rest !== "") yield rest;
}

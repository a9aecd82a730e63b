import { programInput, programOutput } from "../../build/bench/run-program.ts";
import { measureStreaming, type StreamingMeasure } from "./measure-streaming.ts";
import { closeBrowser } from "./open-window.ts";

/** A program of the benchmark's: streams into transcripts of each of the lengths in turn, and prints what it saw. */
const { lengths, seconds } = programInput<{ lengths: readonly number[]; seconds: number }>();
const measures: (StreamingMeasure & { entries: number })[] = [];
try {
	// The first page of a browser takes longer than those after it.
	await measureStreaming(0, 1);
	for (const entries of lengths) measures.push({ entries, ...(await measureStreaming(entries, seconds)) });
} finally {
	await closeBrowser();
}
programOutput(measures);

import type { DataPaths } from "../../platform/data-directory.ts";
import { lastWords as wordsOf } from "../../platform/last-words.ts";
import type { StartedAgent } from "../../platform/start-agent.ts";
import { printableLine } from "../output/printable.ts";

const MOST_SHOWN = 400;

/** What an agent that didn't start said of it, fit for a terminal. */
export function lastWords(data: DataPaths, before: StartedAgent["before"]): string | undefined {
	const said = wordsOf(data, before);
	return said === undefined ? undefined : printableLine(said).slice(0, MOST_SHOWN);
}

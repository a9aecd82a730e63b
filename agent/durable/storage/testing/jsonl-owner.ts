/**
 * Another process: opens the JSONL store in its first argument, tells the story there, printing a line after each
 * commit, and stays until it is ended.
 */
import { writeSync } from "node:fs";
import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
import { openNodeJsonlStorage } from "../jsonl/node.ts";
import { tellStory } from "./story.ts";

const storage = await openNodeJsonlStorage(process.argv[2]!, BACKGROUND_CONTEXT);
await tellStory(storage, async () => void writeSync(1, "committed\n"));
process.stdin.resume();

/** `npm run check:size`: files are small, and the harness can be read whole. Ends with 1 when they aren't. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { sizeProblems } from "./size-problems.mjs";
import { sources } from "./sources.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const problems = sizeProblems(sources(root));
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

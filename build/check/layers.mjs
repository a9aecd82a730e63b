/** `npm run check:layers`: imports point one way. Prints each that doesn't; ends with 1 when there is one. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { layerProblems } from "./layer-problems.mjs";
import { sources } from "./sources.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const problems = sources(root).flatMap(({ file, text }) => layerProblems(file, text));
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

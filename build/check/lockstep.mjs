/**
 * `npm run check:lockstep`: what is installed is what is pinned, and packages that must move together do, and the
 * README names each.
 * Prints each problem; ends with 1 when there is one.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installedPackages } from "./installed-packages.mjs";
import { lockstepProblems, readmeProblems } from "./lockstep-rules.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const declared = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const readme = readFileSync(join(root, "README.md"), "utf8");
const problems = [
	...lockstepProblems(declared, installedPackages(root)),
	...readmeProblems(declared, readme),
];
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length > 0 ? 1 : 0;

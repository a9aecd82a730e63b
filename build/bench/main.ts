import { writeFileSync } from "node:fs";
import { cpus, release } from "node:os";
import { keepProcesses } from "../test/keep-processes.mjs";
import { readArguments, USAGE } from "./arguments.ts";
import { createGround } from "./ground.ts";
import type { Figure } from "./row.ts";
import { ROWS } from "./rows.ts";
import { table } from "./table.ts";

/** `npm run bench`: measures, and prints a table. What each row is stands in README.md beside this file. */

const asked = readArguments(
	process.argv.slice(2),
	ROWS.map(({ name }) => name),
);
if (asked.kind === "refused") {
	process.stderr.write(`${asked.reason}\n${USAGE}\n`);
	process.exit(2);
}

keepProcesses();
const ground = createGround(asked);
for (const signal of ["SIGINT", "SIGTERM"] as const)
	process.once(signal, () => void ground.close().finally(() => process.exit(1)));

const figures: Figure[] = [];
try {
	for (const row of ROWS.filter(({ name }) => asked.rows.includes(name))) {
		process.stderr.write(`${row.name} …\n`);
		try {
			figures.push(...(await row.measure(ground)));
		} catch (error) {
			// What the other rows found is worth having.
			process.stderr.write(`${row.name} could not be measured: ${(error as Error).stack}\n`);
			process.exitCode = 1;
		}
	}
} finally {
	await ground.close();
}
process.stdout.write(table(figures));
if (asked.json !== undefined) writeFileSync(asked.json, `${JSON.stringify(report(), null, "\t")}\n`);

function report(): object {
	return {
		at: new Date().toISOString(),
		node: process.version,
		system: `${process.platform} ${release()} ${process.arch}`,
		processors: cpus().map(({ model }) => model),
		quick: ground.quick,
		figures,
	};
}

import { join } from "node:path";
import type { StoreShape } from "../fixture/make-store.ts";
import type { Ground } from "../ground.ts";
import type { LibraryTimes } from "../programs/library.ts";
import type { LibraryMemory } from "../programs/library-memory.ts";
import type { Figure, Row } from "../row.ts";
import { runProgram } from "../run-program.ts";
import { interleaved, median } from "../statistics.ts";

const conversationOf = (entries: number): StoreShape => [{ sessions: 1, entries }];

/** The harness by itself, as any program that imports it has it. */
export const library: Row = {
	name: "library",
	async measure(ground) {
		const files = [await storeOf(ground, 100_000), await storeOf(ground, 1_000), await storeOf(ground, 100)];
		const [many, thousand, few] = files as [string, string, string];
		const [withMany, withFew] = await runProgram<LibraryTimes[]>("library", {
			files: [many, few],
			repetitions: ground.quick ? 10 : 100,
		});
		const memory = (file: string) => async () =>
			(await runProgram<LibraryMemory>("library-memory", { file })).mb;
		const [large, small] = (await interleaved(ground.quick ? 1 : 5, [memory(many), memory(thousand)])).map(
			median,
		);
		return [
			ratio("opening", 1.3, { "100,000 entries ms": withMany!.open, "100 entries ms": withFew!.open }),
			ratio("attaching", 1.3, { "100,000 entries ms": withMany!.attach, "100 entries ms": withFew!.attach }),
			ratio("memory", 1.2, { "100,000 entries MB": large!, "1,000 entries MB": small! }),
		];
	},
};

/** The first of two figures over the second. */
function ratio(what: string, goal: number, from: Readonly<Record<string, number>>): Figure {
	const [ours, theirs] = Object.values(from);
	return { name: `library, ${what}`, value: ours! / theirs!, unit: "×", goal, from };
}

async function storeOf(ground: Ground, entries: number): Promise<string> {
	const place = await ground.place(conversationOf(entries));
	return join(place.dataDirectory, "outlive.sqlite");
}

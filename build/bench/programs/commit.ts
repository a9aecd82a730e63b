import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHarnessCommits } from "../commits/harness-commits.ts";
import { openRawCommits } from "../commits/raw-commits.ts";
import { assertSameRows } from "../commits/same-rows.ts";
import { programInput, programOutput } from "../run-program.ts";
import { interleaved, median } from "../statistics.ts";

/** One commit of an entry and a document's change, medians in ms. */
export type CommitTimes = { readonly harness: number; readonly raw: number };

/** Commits in a row, before it is the other's turn. */
const BLOCK = 50;
const WARM_UP_BLOCKS = 10;

const { blocks } = programInput<{ blocks: number }>();
const folder = mkdtempSync(join(tmpdir(), "outlive-bench-commits-"));
try {
	const files = { harness: join(folder, "harness.sqlite"), raw: join(folder, "raw.sqlite") };
	const harness = await openHarnessCommits(files.harness);
	const raw = openRawCommits(files.raw);
	const block = (commit: (number: number) => unknown, times: number[]) => {
		let number = 0;
		return async () => {
			for (let count = 0; count < BLOCK; count++) {
				const begun = performance.now();
				await commit(number++);
				times.push(performance.now() - begun);
			}
			return 0;
		};
	};
	const times = { harness: [] as number[], raw: [] as number[] };
	const measures = [block(harness.commit, times.harness), block(raw.commit, times.raw)];
	await interleaved(WARM_UP_BLOCKS, measures);
	times.harness.length = 0;
	times.raw.length = 0;
	await interleaved(blocks, measures);
	await harness.close();
	raw.close();
	assertSameRows(files.harness, files.raw);
	programOutput({ harness: median(times.harness), raw: median(times.raw) } satisfies CommitTimes);
} finally {
	rmSync(folder, { recursive: true, force: true });
}

import type { CommitTimes } from "../programs/commit.ts";
import type { Row } from "../row.ts";
import { runProgram } from "../run-program.ts";

export const commit: Row = {
	name: "commit",
	async measure({ quick }) {
		const { harness, raw } = await runProgram<CommitTimes>("commit", { blocks: quick ? 4 : 40 });
		return [
			{
				name: "commit",
				value: harness / raw,
				unit: "×",
				goal: 1.5,
				from: { "harness ms": harness, "statements ms": raw },
			},
		];
	},
};

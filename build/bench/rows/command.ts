import type { CommandTimes } from "../programs/command.ts";
import type { Row } from "../row.ts";
import { runProgram } from "../run-program.ts";

export const command: Row = {
	name: "command",
	async measure({ quick }) {
		const { runner, spawned } = await runProgram<CommandTimes>("command", { repetitions: quick ? 10 : 60 });
		return [
			{
				name: "command",
				value: runner / spawned,
				unit: "×",
				goal: 5,
				from: { "runner ms": runner, "spawn ms": spawned },
			},
		];
	},
};

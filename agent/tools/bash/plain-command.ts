import { constants } from "node:os";
import type { Context } from "@earendil-works/chord";
import type { OutputWindow } from "../../durable/env/durable-commands.ts";
import { ExecTimeout, type ExecutionEnv } from "../../durable/env/execution-env.ts";
import type { BashApi } from "./attempts.ts";
import { type BashResult, exited } from "./result.ts";

const WINDOW_BYTES = 64 * 1024;

/** A command in an environment without commands that outlive the agent: it ends with the agent. */
export async function plainCommand(
	env: ExecutionEnv,
	order: { readonly command: string; readonly timeout: number | undefined },
	api: BashApi,
	context: Context,
): Promise<BashResult> {
	const collected = createCollector();
	try {
		const { exitCode, signal } = await env.exec(
			order.command,
			{
				timeout: order.timeout,
				onOutput(text) {
					collected.add(text);
					api.output(text);
				},
			},
			context,
		);
		return exited(exitCode ?? 128 + numberOf(signal), collected.window(), []);
	} catch (error) {
		// What it said until then is in the running output.
		if (error instanceof ExecTimeout) throw new Error(`Timed out after ${order.timeout} s and was ended.`);
		throw error;
	}
}

function numberOf(signal: string | null): number {
	return constants.signals[signal as NodeJS.Signals] ?? 0;
}

/** Keeps of an output what a view of it needs. */
function createCollector() {
	let head = Buffer.alloc(0);
	let tail = Buffer.alloc(0);
	let size = 0;
	return {
		add(text: string): void {
			const bytes = Buffer.from(text);
			size += bytes.length;
			const room = WINDOW_BYTES - head.length;
			if (room > 0) head = Buffer.concat([head, bytes.subarray(0, room)]);
			tail = Buffer.concat([tail, bytes.subarray(Math.max(0, room))]);
			if (tail.length > 2 * WINDOW_BYTES) tail = Buffer.from(tail.subarray(-WINDOW_BYTES));
		},
		window: (): OutputWindow => ({ head, tail: tail.subarray(-WINDOW_BYTES), size, lost: 0 }),
	};
}

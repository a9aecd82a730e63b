import { constants, copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	type AgentPlace,
	type AgentProcess,
	makePlace,
	spawnAgent,
} from "../../agent/testing/agent-process.ts";
import type { StoreShape } from "./fixture/make-store.ts";
import { runProgram } from "./run-program.ts";

/**
 * The agent as a user has it, or one whose scripted model writes the time of each token into its answer and sends fifty
 * a second.
 */
export type AgentVariant = "shipped" | "timed";

/** What rows share in one run. */
export type Ground = {
	/** Fewer repetitions: to see that it works, not how fast it is. */
	readonly quick: boolean;
	/** A data directory of its own; with a shape, its store holds such sessions. */
	place(shape?: StoreShape): Promise<AgentPlace>;
	/** Starts the bundled agent; it is ended with the ground, if not before. Doesn't wait for it. */
	start(place: AgentPlace, variant?: AgentVariant): Promise<AgentProcess>;
	/** Ends every agent and removes everything. */
	close(): Promise<void>;
};

const ROOT = join(import.meta.dirname, "..", "..");

export function createGround({ quick }: { readonly quick: boolean }): Ground {
	const scratch = mkdtempSync(join(tmpdir(), "outlive-bench-"));
	// Inside the project, so that the bundle finds better-sqlite3 as it does beside the app.
	mkdirSync(join(ROOT, "out"), { recursive: true });
	const out = mkdtempSync(join(ROOT, "out", "bench-"));
	const bundles = new Map<AgentVariant, Promise<string>>();
	const stores = new Map<string, Promise<string>>();
	const places: AgentPlace[] = [];
	const agents: AgentProcess[] = [];

	/** Built and made by programs of their own: this process stays small, as what it starts is measured. */
	async function build(variant: AgentVariant): Promise<string> {
		const folder = join(out, variant);
		await runProgram("build-agent", { folder, variant });
		return join(folder, "agent.js");
	}

	async function makeStore(shape: StoreShape): Promise<string> {
		const file = join(scratch, `${stores.size}.sqlite`);
		// What the sessions' folder is called makes no difference to anything that is measured.
		await runProgram("make-store", { file, directory: tmpdir(), shape });
		return file;
	}

	return {
		quick,
		async place(shape) {
			const place = makePlace();
			places.push(place);
			if (shape === undefined) return place;
			const name = JSON.stringify(shape);
			const store = stores.get(name) ?? makeStore(shape);
			stores.set(name, store);
			mkdirSync(place.dataDirectory, { mode: 0o700 });
			copyFileSync(await store, join(place.dataDirectory, "outlive.sqlite"), constants.COPYFILE_FICLONE);
			return place;
		},
		async start(place, variant = "shipped") {
			const bundle = bundles.get(variant) ?? build(variant);
			bundles.set(variant, bundle);
			const agent = spawnAgent(place, { entry: await bundle });
			agents.push(agent);
			return agent;
		},
		async close() {
			await Promise.all(agents.map((agent) => agent.kill()));
			for (const place of places) place.remove();
			for (const folder of [scratch, out]) rmSync(folder, { recursive: true, force: true });
		},
	};
}

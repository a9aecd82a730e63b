import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { keepProcesses } from "../../../build/test/keep-processes.mjs";
import { endCommandsIn } from "../../../build/test/processes.mjs";
import { agentPid, isThere, signal } from "./agents.ts";

const LONGEST_END_MS = 20_000;

/** A data directory, a home and a folder in it to work in. */
export type TestPlace = { readonly data: string; readonly home: string; readonly project: string };

/** Makes a place; when the test ends, the agent that it has then is ended and the place removed. */
export function makePlace(test: TestContext): TestPlace {
	keepProcesses();
	// Sockets need short paths.
	const root = realpathSync(mkdtempSync(join(tmpdir(), "cli-")));
	const place = {
		data: join(root, "data"),
		home: join(root, "home"),
		project: join(root, "home", "project"),
	};
	mkdirSync(place.data, { mode: 0o700 });
	mkdirSync(place.project, { recursive: true });
	test.after(async () => {
		await endAgent(place);
		endCommandsIn(place.home);
		rmSync(root, { recursive: true, force: true, maxRetries: 5 });
	});
	return place;
}

async function endAgent(place: TestPlace): Promise<void> {
	const pid = agentPid(place);
	if (pid === undefined) return;
	signal(pid, "SIGTERM");
	// A frozen one takes its signal when it goes on.
	signal(pid, "SIGCONT");
	const deadline = performance.now() + LONGEST_END_MS;
	while (isThere(pid)) {
		if (performance.now() > deadline) {
			signal(pid, "SIGKILL");
			throw new Error(`The agent ${pid} did not end when it was told to.`);
		}
		await pause(25);
	}
}

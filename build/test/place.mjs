import { chmodSync, existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The folders of one test file. Their paths are short, because sockets allow about a hundred bytes, and a test
 * that drops root can enter them.
 *
 * @returns {{ base: string, home: string, temporary: string, events: string }} `base` holds the others;
 *   `events` is a file that doesn't exist yet
 */
export function makePlace() {
	const base = mkdtempSync(join(existsSync("/tmp") ? "/tmp" : tmpdir(), "ot-"));
	const place = { base, home: join(base, "h"), temporary: join(base, "t"), events: join(base, "events") };
	mkdirSync(place.home);
	mkdirSync(place.temporary);
	chmodSync(base, 0o755);
	chmodSync(place.temporary, 0o1777);
	return place;
}

/**
 * What a test file sees of the environment: nothing that points to a person's own data or settings. Which Electron and
 * which Chromium to test with is passed on.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {Record<string, string>} own what is set for this file
 * @returns {NodeJS.ProcessEnv}
 */
export function testEnvironment(env, own) {
	const personal = /^(OUTLIVE_(?!ELECTRON$|CHROMIUM$)|XDG_|GIT_|NODE_TEST_CONTEXT$|NODE_OPTIONS$|INIT_CWD$)/;
	return { ...Object.fromEntries(Object.entries(env).filter(([name]) => !personal.test(name))), ...own };
}

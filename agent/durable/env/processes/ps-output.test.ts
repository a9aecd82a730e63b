import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeStart, parsePsCommands, parsePsList, parsePsStatus } from "./ps-output.ts";

test("one process of ps on macOS", () => {
	assert.deepEqual(parsePsStatus("  501     1   501 Ss   Mon Mar  3 09:05:07 2025\n"), {
		pid: 501,
		parent: 1,
		group: 501,
		session: undefined,
		start: "Mon Mar 3 09:05:07 2025",
		startedAt: Date.UTC(2025, 2, 3, 9, 5, 7) / 1000,
		ended: false,
	});
	assert.equal(parsePsStatus("  77   501    77 Z    Tue Mar 11 10:00:00 2025 \n")?.ended, true);
	assert.equal(parsePsStatus(""), undefined);
	assert.equal(parsePsStatus("ps: illegal argument\n"), undefined);
});

test("a padded day and an unpadded one are the same start", () => {
	assert.equal(normalizeStart("Mon Mar  3 09:05:07 2025"), normalizeStart(" Mon Mar 3 09:05:07 2025 "));
});

test("a list of ps finds the mark as a whole word only, and leaves out what has ended", () => {
	const output = [
		"  900     1   900 S    Mon Mar  3 09:05:07 2025 node server.js HOME=/Users/a OUTLIVE_CALL=4-1-ab PATH=/bin",
		"  901   900   900 S+   Mon Mar  3 09:05:08 2025 sleep 5 OUTLIVE_CALL=4-1-abc",
		"  902   900   900 S    Mon Mar  3 09:05:08 2025 sleep 6 XOUTLIVE_CALL=4-1-ab",
		"  903   900   900 Z    Mon Mar  3 09:05:08 2025 (gone) OUTLIVE_CALL=4-1-ab",
		"  904     1   904 U    Mon Mar  3 09:05:09 2025 OUTLIVE_CALL=4-1-ab",
		"",
	].join("\n");
	assert.deepEqual(
		parsePsList(output, "OUTLIVE_CALL=4-1-ab").map(({ pid, marked }) => [pid, marked]),
		[
			[900, true],
			[901, false],
			[902, false],
			[904, true],
		],
	);
});

test("command lines for people", () => {
	const commands = parsePsCommands("  12 npm run dev\n 345 /bin/sh -c a  b\n\n");
	assert.deepEqual(
		[...commands],
		[
			[12, "npm run dev"],
			[345, "/bin/sh -c a  b"],
		],
	);
});

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { rememberApp } from "../../platform/app-command.ts";
import { makePlace, type TestPlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";

/** A program that notes what it was started with and what it saw, in place of the app or of the desktop's tools. */
function program(
	folder: string,
	name: string,
	{ prints = "", code = 0 } = {},
): { path: string; ran(): string } {
	mkdirSync(folder, { recursive: true });
	const path = join(folder, name);
	const note = join(folder, `${name}.ran`);
	writeFileSync(note, "");
	writeFileSync(
		path,
		`#!/bin/sh\necho "$* data=$OUTLIVE_DATA_DIR node=$ELECTRON_RUN_AS_NODE" >> '${note}'\nprintf '%s' '${prints}'\nexit ${code}\n`,
	);
	chmodSync(path, 0o755);
	return { path, ran: () => readFileSync(note, "utf8") };
}

async function newSession(context: Parameters<typeof outlive>[0], place: TestPlace): Promise<string> {
	const { stdout } = await outlive(context, place, ["new", ".", "--title", "By a link", "--json"]);
	return (JSON.parse(stdout) as { session: string }).session;
}

test("open hands the session's link to the app that ran last, for this data directory", async (context) => {
	const place = makePlace(context);
	const session = await newSession(context, place);
	const app = program(join(place.home, "bin"), "app");
	rememberApp(join(place.data, "app-command.json"), [app.path, "/the/app"]);
	const env = { ELECTRON_RUN_AS_NODE: "1" };
	const { code, stdout } = await outlive(context, place, ["open", "@", "--json"], { env });
	assert.equal(code, 0);
	const link = `outlive://session/${session}`;
	assert.deepEqual(JSON.parse(stdout), { session, link });
	assert.equal(app.ran(), `/the/app ${link} data=${place.data} node=\n`);
	const words = await outlive(context, place, ["open", session]);
	assert.equal(words.stdout, `The app shows session ${session}: By a link\n`);
});

test("where no app ran, the desktop's own program for such links is asked, and only if there is one", {
	skip: process.platform === "linux" ? false : "these are the tools of Linux desktops",
}, async (context) => {
	const place = makePlace(context);
	const session = await newSession(context, place);
	const bin = join(place.home, "bin");
	const opener = program(bin, "xdg-open");
	program(bin, "xdg-mime", { prints: "" });
	const env = { PATH: `${bin}:${process.env.PATH}` };
	const none = await outlive(context, place, ["open", session], { env });
	assert.equal(none.code, 3);
	assert.match(none.stderr, /outlive web --open/);
	assert.equal(opener.ran(), "", "no browser gets a link that it can't open");
	program(bin, "xdg-mime", { prints: "outlive-app.desktop" });
	const some = await outlive(context, place, ["open", session], { env });
	assert.equal(some.code, 0);
	assert.match(opener.ran(), new RegExp(`^outlive://session/${session} `));
});

test("open says when the session isn't there, and when the app didn't start", async (context) => {
	const place = makePlace(context);
	const session = await newSession(context, place);
	assert.equal((await outlive(context, place, ["open", "no-such"])).code, 4);
	const app = program(join(place.home, "bin"), "app", { code: 1 });
	rememberApp(join(place.data, "app-command.json"), [app.path]);
	const { code, stdout } = await outlive(context, place, ["open", session, "--json"]);
	assert.equal(code, 3);
	assert.equal((JSON.parse(stdout) as { error: { code: string } }).error.code, "app_missing");
});

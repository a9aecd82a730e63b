import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makePlace, type TestPlace } from "../testing/place.ts";
import { outlive } from "../testing/run-outlive.ts";

const skip = process.platform === "linux" ? false : "these are the tools of Linux";

/** A systemctl that notes what it is asked, and knows a unit once it was restarted. */
function systemctl({ home }: TestPlace, refuses = "") {
	const bin = join(home, "bin");
	const notes = join(bin, "notes");
	mkdirSync(bin, { recursive: true });
	writeFileSync(notes, "");
	writeFileSync(
		join(bin, "systemctl"),
		`#!/bin/sh
echo "$*" >> '${notes}'
if [ "$2" = "${refuses}" ]; then echo "no bus here" >&2; exit 1; fi
case "$2" in
	restart) touch '${bin}/active' ;;
	disable) rm -f '${bin}/active' ;;
	is-active) [ -e '${bin}/active' ] ;;
esac
`,
	);
	chmodSync(join(bin, "systemctl"), 0o755);
	return {
		env: { PATH: `${bin}:${process.env.PATH}` },
		asked: () => readFileSync(notes, "utf8").trim().split("\n"),
	};
}

const unit = ({ home }: TestPlace) => join(home, ".config", "systemd", "user", "outlive.service");

test("service installs the agent with the system, says how it stands, and removes it", {
	skip,
}, async (context) => {
	const place = makePlace(context);
	const { env, asked } = systemctl(place);
	const service = async (action: string) => {
		const { code, stdout, stderr } = await outlive(context, place, ["service", action, "--json"], { env });
		assert.equal(code, 0, stderr);
		return JSON.parse(stdout) as { installed: boolean; running: boolean; file: string };
	};
	assert.deepEqual([(await service("status")).installed, (await service("status")).running], [false, false]);
	const installed = await service("install");
	assert.deepEqual([installed.installed, installed.running, installed.file], [true, true, unit(place)]);
	assert.deepEqual(asked(), [
		"--user daemon-reload",
		"--user enable outlive.service",
		"--user restart outlive.service",
		"--user is-active --quiet outlive.service",
	]);
	const text = readFileSync(unit(place), "utf8");
	assert.match(
		text,
		new RegExp(`^ExecStart="${process.execPath}" ".*/agent/main.ts" "--replace=idle"$`, "m"),
	);
	assert.match(text, new RegExp(`^Environment="OUTLIVE_DATA_DIR=${place.data}"$`, "m"));
	const removed = await service("remove");
	assert.deepEqual([removed.installed, removed.running], [false, false]);
	assert.equal(existsSync(unit(place)), false);
});

test("a system that refuses the service leaves nothing behind, and what to do is said", {
	skip,
}, async (context) => {
	const place = makePlace(context);
	const { env } = systemctl(place, "restart");
	const { code, stderr } = await outlive(context, place, ["service", "install"], { env });
	assert.equal(code, 3);
	assert.match(stderr, /refused “systemctl --user restart outlive.service”: no bus here.*outlive start/);
	assert.equal(existsSync(unit(place)), false);
	const wrong = await outlive(context, place, ["service", "begin"], { env });
	assert.equal(wrong.code, 2);
	assert.match(wrong.stderr, /install, remove or status/);
});

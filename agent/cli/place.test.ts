import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOf } from "./place.ts";

test("the data directory is the one asked for, else the environment's, else the system's place", () => {
	const env = { HOME: "/home/p", OUTLIVE_DATA_DIR: "mine", XDG_DATA_HOME: "/xdg" };
	assert.equal(placeOf(env, "/here", "other").data.directory, "/here/other");
	assert.equal(placeOf(env, "/here", "/abs").data.directory, "/abs");
	assert.equal(placeOf(env, "/here", undefined).data.directory, "/here/mine");
	const { directory } = placeOf({ HOME: "/home/p" }, "/here", undefined).data;
	assert.equal(directory.startsWith("/home/p/"), true);
});

test("under npm, here is where npm was called", () => {
	const npm = { HOME: "/home/p", INIT_CWD: "/called", npm_package_json: "/package/package.json" };
	assert.equal(placeOf(npm, "/package", undefined).here, "/called");
	assert.equal(placeOf({ ...npm, OUTLIVE_DATA_DIR: "d" }, "/package", undefined).data.directory, "/called/d");
	assert.equal(placeOf(npm, "/elsewhere", undefined).here, "/elsewhere");
	assert.equal(placeOf({ HOME: "/home/p" }, "/here", undefined).here, "/here");
});

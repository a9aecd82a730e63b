import assert from "node:assert/strict";
import { test } from "node:test";
import { dataDirectory, dataPaths } from "../../platform/data-directory.ts";
import { places } from "./places.mjs";

test("the doctor looks where the agent keeps things, on every system", () => {
	const environments = [
		{ HOME: "/home/a" },
		{ HOME: "/home/a", XDG_DATA_HOME: "/data" },
		{ HOME: "/home/a", XDG_DATA_HOME: "relative" },
		{ HOME: "/home/a", OUTLIVE_DATA_DIR: "/elsewhere" },
		{ HOME: "/home/a", OUTLIVE_DATA_DIR: "relative" },
		{ HOME: "" },
		{ HOME: "relative" },
		{},
	];
	for (const platform of ["linux", "darwin"] as const) {
		for (const env of environments) {
			const agent = dataPaths(dataDirectory(env, platform));
			const { directory, store, owner, socket, log } = places(env, platform);
			assert.deepEqual(
				{ directory, store, owner, socket, log },
				{
					directory: agent.directory,
					store: agent.store,
					owner: agent.owner,
					socket: agent.socket,
					log: agent.log,
				},
			);
		}
	}
});

test("a data directory that was asked for comes first, relative to where npm was called", () => {
	const env = { HOME: "/home/a", OUTLIVE_DATA_DIR: "/elsewhere", INIT_CWD: "/project" };
	assert.equal(places(env, "linux", "data").directory, "/project/data");
	assert.equal(places(env, "linux", "/data").socket, "/data/agent.sock");
});

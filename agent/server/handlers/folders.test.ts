import assert from "node:assert/strict";
import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ProtocolError } from "../../protocol/index.ts";
import { startAgent } from "../testing/agent.ts";

test("a folder is made where sessions may work, with those above it, and nowhere else", async (t) => {
	const agent = await startAgent(t);
	const client = await agent.connect();
	const inHome = await agent.folder("project");
	const home = join(inHome, "..");
	const make = (directory: string) => client.request("folders.create", { directory });
	const refused = (directory: string) =>
		make(directory).then(
			() => "made",
			(error) => (error instanceof ProtocolError ? error.code : String(error)),
		);

	const wanted = join(home, "Outlive", "first");
	assert.deepEqual(await make(wanted), { directory: wanted });
	assert.ok(statSync(wanted).isDirectory());
	assert.deepEqual(await make(`${wanted}/../first/`), { directory: wanted }, "one that is there is fine");

	mkdirSync(join(home, "real"));
	symlinkSync(join(home, "real"), join(home, "link"));
	assert.deepEqual(await make(join(home, "link", "a")), { directory: join(home, "real", "a") });

	symlinkSync("/tmp", join(home, "out"));
	assert.equal(await refused(join(home, "out", "not-here")), "folder_not_allowed");
	assert.equal(await refused("/not-here/a"), "folder_not_allowed");
	assert.equal(await refused(home), "folder_not_allowed");
	writeFileSync(join(home, "file"), "");
	assert.notEqual(await refused(join(home, "file", "a")), "made");
	assert.equal(await refused(join(home, "file", "a")), await refused(join(home, "file")));
});

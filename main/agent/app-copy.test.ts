import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { AppPlaceRefused, agentCommand } from "./agent-command.ts";
import { type AppCopy, keepCopy, removeOldCopies } from "./app-copy.ts";

/** An installed app: a folder with a binary, and an archive in it. */
function installed(t: TestContext): AppCopy {
	const root = mkdtempSync(join(tmpdir(), "copy-"));
	t.after(() => rmSync(root, { recursive: true, force: true }));
	const from = join(root, "Outlive");
	mkdirSync(join(from, "resources"), { recursive: true });
	writeFileSync(join(from, "outlive-app"), "binary");
	writeFileSync(join(from, "resources", "app.asar"), "scripts");
	return {
		from,
		binary: join(from, "outlive-app"),
		program: join(from, "resources", "app.asar", "agent.js"),
		version: "0.1.0",
		archive: join(from, "resources", "app.asar"),
		folder: join(root, "data", "versions"),
	};
}

test("the agent runs from a copy that an update of the app doesn't touch", async (t) => {
	const app = installed(t);
	const copy = await keepCopy(app);
	assert.ok(copy.binary.startsWith(app.folder));
	assert.match(copy.program, /Outlive\/resources\/app\.asar\/agent\.js$/);
	writeFileSync(app.binary, "the next version");
	assert.equal(readFileSync(copy.binary, "utf8"), "binary");
	assert.deepEqual(readdirSync(app.folder).length, 1, "nothing unfinished lies there");
});

test("the same app is copied once, also by two at the same time; another build of it gets its own", async (t) => {
	const app = installed(t);
	const [one, other] = await Promise.all([keepCopy(app), keepCopy(app)]);
	assert.deepEqual(one, other);
	utimesSync(app.archive, 5_000, 5_000);
	assert.notDeepEqual(await keepCopy(app), one);
	assert.equal(readdirSync(app.folder).length, 2);
});

test("an old copy goes once nothing runs from it", {
	skip: process.platform !== "linux" && "what runs where is read from /proc here",
}, async (t) => {
	const { folder } = installed(t);
	for (const name of ["old", "busy", "new"]) mkdirSync(join(folder, name), { recursive: true });
	const busy = join(folder, "busy", "node");
	copyFileSync(process.execPath, busy);
	const child = spawn(busy, ["-e", "process.stdin.resume(); console.log('up')"], {
		stdio: ["pipe", "pipe", "ignore"],
	});
	await new Promise((resolve) => child.stdout.once("data", resolve));
	try {
		await removeOldCopies(folder, join(folder, "new", "outlive-app"));
		assert.deepEqual(readdirSync(folder).sort(), ["busy", "new"]);
	} finally {
		child.kill("SIGKILL");
	}
});

test("a checkout runs its sources on its own Node; an app that macOS runs from a hidden place is refused", async (t) => {
	const { folder } = installed(t);
	const place = { version: "0.1.0", platform: "darwin" as const, env: {} };
	const checkout = { ...place, isPackaged: false, appPath: "/code/outlive/out/app-1", binary: "/electron" };
	assert.deepEqual(await agentCommand(checkout, folder), {
		binary: "/code/outlive/node_modules/.bin/node",
		program: "/code/outlive/agent/main.ts",
		isElectron: false,
	});
	const binary = "/private/var/folders/x/AppTranslocation/1/d/Outlive.app/Contents/MacOS/Outlive";
	await assert.rejects(
		agentCommand({ ...place, isPackaged: true, appPath: "/x", binary }, folder),
		AppPlaceRefused,
	);
	assert.ok(!existsSync(folder));
});

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { keepProcesses, markOfProcesses } from "../test/keep-processes.mjs";

const root = join(import.meta.dirname, "..", "..");

test("npm start serves the window where the app can't open, and the agent goes on when it ends", async (context) => {
	keepProcesses();
	const place = mkdtempSync(join(tmpdir(), "st-"));
	const env = {
		PATH: process.env.PATH ?? "/usr/bin:/bin",
		HOME: join(place, "home"),
		OUTLIVE_DATA_DIR: join(place, "data"),
		...markOfProcesses(),
		OUTLIVE_LOOK_FOR: "api",
	};
	const outlive = (...args: string[]) =>
		new Promise<string>((resolve) => {
			const child = spawn(process.execPath, [join(root, "agent", "cli", "main.ts"), ...args], { env });
			let output = "";
			child.stdout.setEncoding("utf8").on("data", (text: string) => {
				output += text;
			});
			child.on("close", () => resolve(output));
		});
	context.after(async () => {
		await outlive("shutdown", "--now");
		rmSync(place, { recursive: true, force: true });
	});

	const start = spawn(process.execPath, [join(root, "build", "start.mjs")], { env, detached: true });
	let output = "";
	const url = await new Promise<string>((resolve, reject) => {
		start.stdout.setEncoding("utf8").on("data", (text: string) => {
			output += text;
			const found = /http:\/\/127\.0\.0\.1:\d+\S*/.exec(output)?.[0];
			if (found !== undefined) resolve(found);
		});
		start.on("close", () => reject(new Error(output)));
	});
	assert.match(output, /The app can't open here: there is no display here\. The window is served/);
	assert.ok(existsSync(join(place, "home", "Outlive", "first")));
	const visit = await fetch(url, { redirect: "manual" });
	assert.equal(visit.status, 303);

	const closed = new Promise((resolve) => start.once("close", resolve));
	process.kill(-start.pid!, "SIGINT");
	await closed;
	assert.equal(JSON.parse(await outlive("status", "--json")).running, true);
});

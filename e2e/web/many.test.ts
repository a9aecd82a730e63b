import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { makeStore } from "../../build/bench/fixture/make-store.ts";
import { missingTool } from "../../build/setup/tools.mjs";
import { expect } from "../../renderer/testing/expect.ts";
import { closeBrowser, keepPicture, makeGround } from "./ground.ts";

const skip = missingTool("chromium");
after(closeBrowser);

const ELEMENTS = "document.querySelectorAll('*').length";

test("200 sessions are listed, found by their titles, and few of them are in the page", {
	skip,
}, async (context) => {
	const { open, create } = await makeGround(context);
	for (let index = 0; index < 200; index++) await create(undefined, `Session number ${index}`);
	const page = await open();
	await page.getByRole("link", { name: /Session number 199/ }).waitFor();
	await keepPicture(page, "200-sessions");
	assert.ok((await page.locator("[data-session]").count()) < 60);
	await page.keyboard.press("Control+k");
	await page.keyboard.type("number 17");
	// 17, 117, and 170 to 179.
	await expect(page.locator(".side .group")).toHaveText(/Titles\s*12/);
	await page.getByRole("link", { name: /Session number 17 ?,/ }).click();
	await expect(page).toHaveTitle("Session number 17 · Outlive");
	assert.ok(Number(await page.evaluate(ELEMENTS)) < 3000);
});

test("a transcript of 100,000 entries is opened at its end and read back", { skip }, async (context) => {
	const { open, client } = await makeGround(context, {
		prepare: async ({ dataDirectory, project }) => {
			mkdirSync(dataDirectory, { mode: 0o700 });
			await makeStore(join(dataDirectory, "outlive.sqlite"), project, [{ sessions: 1, entries: 100_000 }]);
		},
	});
	const { sessions } = await client.request("sessions.list", {});
	const page = await open(`#/session/${sessions[0]!.id}`);
	const list = page.locator(".transcript");
	await expect(list.locator(".item").first()).toBeVisible();
	const newest = await list.locator(".item").last().getAttribute("data-key");
	await keepPicture(page, "100000-entries");
	await list.hover();
	const keys = new Set<string>();
	for (let step = 0; step < 60; step++) {
		await page.mouse.wheel(0, -3000);
		await page.waitForFunction("new Promise((done) => requestAnimationFrame(() => done(true)))");
		keys.add((await list.locator(".item").first().getAttribute("data-key")) ?? "");
	}
	assert.ok(keys.size > 20, `${keys.size} places`);
	assert.ok(Number(await page.evaluate(ELEMENTS)) < 3000);
	await page.getByRole("button", { name: "To the end" }).click();
	await expect(list.locator(".item").last()).toHaveAttribute("data-key", newest ?? "");
});

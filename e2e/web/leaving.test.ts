import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { missingTool } from "../../build/setup/tools.mjs";
import { expect } from "../../renderer/testing/expect.ts";
import { closeBrowser, keepPicture, makeGround } from "./ground.ts";

const skip = missingTool("chromium");
after(closeBrowser);

test("the agent is killed in the middle: the window says so, comes back, and shows the finished work", {
	skip,
}, async (context) => {
	const { open, create, killAgent, restartAgent, place } = await makeGround(context);
	const session = await create(
		"bash: echo step 1; echo step 2; until [ -e go ]; do sleep 0.1; done; echo step 3",
	);
	const page = await open(`#/session/${session}`);
	await expect(page.locator(".tool")).toContainText("step 2");
	await killAgent();
	await expect(page.getByText(/The agent isn’t running\.|The agent doesn’t answer\./)).toBeVisible();
	await expect(page.locator(".tool")).toContainText("step 2");
	await keepPicture(page, "agent-gone");
	await restartAgent();
	await expect(page.getByText(/The agent isn’t running\.|The agent doesn’t answer\./)).toHaveCount(0);
	writeFileSync(join(place.project, "go"), "");
	await expect(page.locator(".tool")).toContainText("step 3");
	await expect(page.locator(".tool")).toContainText("done");
	await expect(page.locator(".say").last()).toContainText("bash answered:");
	await expect(page.locator("figure")).toContainText("step 3");
	await expect(page.locator(".you")).toHaveCount(1);
	await expect(page.locator(".tool")).toHaveCount(1);
	await expect(page.locator(".rule", { hasText: "The agent was restarted at" })).toHaveCount(1);
});

test("a reload in the middle of an answer brings all of it back, and it goes on", {
	skip,
}, async (context) => {
	const { open, create } = await makeGround(context);
	const session = await create("slow 60: word");
	const page = await open(`#/session/${session}`);
	await expect(page.locator(".say").first()).toContainText("10");
	await page.reload();
	await expect(page.locator(".say").first()).toContainText("12");
	await expect(page.locator(".you")).toHaveCount(1);
	await expect(page.locator(".say").first()).toContainText("60");
	await expect(page.locator(".say .caret")).toHaveCount(0);
	const numbers = ((await page.locator(".say").first().textContent()) ?? "").match(/\d+/g)?.map(Number);
	assert.deepEqual(
		numbers,
		Array.from({ length: 60 }, (_, index) => index + 1),
		"no word doubled, none lost",
	);
});

test("two windows on one session see the same, and each says what the other sent", {
	skip,
}, async (context) => {
	const { open, create } = await makeGround(context);
	const session = await create("bash: sleep 60");
	const one = await open(`#/session/${session}`);
	const two = await open(`#/session/${session}`);
	await expect(two.locator(".tool")).toContainText("running");
	await one.getByRole("textbox", { name: /^Message the/ }).fill("slow 2: from one");
	await one.keyboard.press("Enter");
	await expect(two.getByRole("list", { name: "Queued messages" })).toContainText("from elsewhere");
	await expect(one.getByRole("list", { name: "Queued messages" })).not.toContainText("from elsewhere");
	await two.getByRole("button", { name: "Stop", exact: true }).click();
	for (const page of [one, two]) await expect(page.locator(".tool")).toContainText(/stopped|interrupted/);
});

import assert from "node:assert/strict";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Page } from "playwright";
import { missingTool } from "../../build/setup/tools.mjs";
import { expect } from "../../renderer/testing/expect.ts";
import { closeBrowser, keepPicture, makeGround } from "./ground.ts";

const skip = missingTool("chromium");
after(closeBrowser);

const message = (page: Page) => page.getByRole("textbox", { name: /^Message the/ });

async function send(page: Page, text: string): Promise<void> {
	await message(page).fill(text);
	await message(page).press("Enter");
}

test("from nothing, three clicks and one sentence lead to the first streamed word", {
	skip,
}, async (context) => {
	const { open, place } = await makeGround(context);
	mkdirSync(join(place.home, "code"));
	const page = await open();
	await page.getByRole("button", { name: "Start in a folder…" }).waitFor();
	await keepPicture(page, "first-run");
	let clicks = 0;
	const click = async (name: string) => {
		await page.getByRole("button", { name, exact: true }).click();
		clicks++;
	};
	await click("Start in a folder…");
	await click("code");
	await expect(page.getByRole("textbox", { name: "Folder" })).toHaveValue("~/code");
	await click("Start here");
	await expect(page.getByRole("textbox", { name: "Say what should be done" })).toBeFocused();
	await page.keyboard.type("slow 8: words from the model");
	await page.keyboard.press("Enter");
	await expect(page.locator(".say").first()).toContainText("1");
	assert.ok(clicks <= 3);
	await expect(page.locator(".say .caret")).toHaveCount(0);
	await expect(page.getByRole("heading", { level: 1 })).toHaveText("slow 8: words from the model");
});

test("with an empty home folder, two clicks and one sentence lead there, and no path is typed", {
	skip,
}, async (context) => {
	const { open, place } = await makeGround(context);
	rmSync(place.project, { recursive: true });
	const page = await open();
	await page.getByRole("button", { name: "Start in a folder…" }).click();
	await page.getByRole("button", { name: "Begin in ~/Outlive/first" }).waitFor();
	await keepPicture(page, "empty-home");
	await page.getByRole("button", { name: "Begin in ~/Outlive/first" }).click();
	await expect(page.getByRole("textbox", { name: "Say what should be done" })).toBeFocused();
	await page.keyboard.type("slow 8: words from the model");
	await page.keyboard.press("Enter");
	await expect(page.locator(".say").first()).toContainText("1");
	assert.ok(statSync(join(place.home, "Outlive", "first")).isDirectory());
});

test("a folder is made in the picker, and a session starts in it", { skip }, async (context) => {
	const { open, place, create } = await makeGround(context);
	await create(undefined, "Another one");
	const page = await open();
	await page.getByRole("heading", { level: 1, name: "Another one" }).waitFor();
	await page.keyboard.press("Control+n");
	await page.getByRole("button", { name: "New folder…" }).click();
	await page.keyboard.type("a/b");
	await page.keyboard.press("Enter");
	await page.getByText("has no “/” in it").waitFor();
	await page.getByRole("textbox", { name: "Name of the new folder" }).fill("made here");
	await page.keyboard.press("Enter");
	await expect(page.getByRole("textbox", { name: "Folder", exact: true })).toHaveValue("~/made here");
	assert.ok(statSync(join(place.home, "made here")).isDirectory());
	await page.getByRole("button", { name: "Start here" }).click();
	await page.getByText("What should be done in made here?").waitFor();
});

test("an answer streams, and a command's output is seen while it runs", { skip }, async (context) => {
	const { open, create, place } = await makeGround(context);
	const session = await create();
	const page = await open(`#/session/${session}`);
	const step = (number: number) => `printf 'step ${number} \\033[32mok\\033[0m\\n'`;
	await send(page, `bash: ${step(1)}; ${step(2)}; until [ -e go ]; do sleep 0.1; done; ${step(3)}`);
	const row = page.locator(".tool");
	await expect(row).toContainText("running");
	await expect(row).toContainText("step 2 ok");
	await expect(row.locator('[data-colour="green"]').first()).toHaveText("ok");
	await keepPicture(page, "running");
	writeFileSync(join(place.project, "go"), "");
	await expect(row).toContainText("done");
	await expect(row).toContainText("step 3 ok");
	await expect(page.locator(".say").first()).toContainText("bash");
	await keepPicture(page, "answered");
	await expect(page.locator(`[data-session="${session}"]`)).toHaveText(/, idle$/);
});

test("messages wait while a run goes on, and are edited, sent sooner, and taken back", {
	skip,
}, async (context) => {
	const { open, create } = await makeGround(context);
	const session = await create("bash: sleep 60");
	const page = await open(`#/session/${session}`);
	await expect(page.locator(".tool")).toContainText("running");
	const queue = page.getByRole("list", { name: "Queued messages" });
	await send(page, "slow 3: first");
	await send(page, "slow 3: second");
	await expect(queue.getByRole("listitem")).toHaveCount(2);
	await queue.getByRole("listitem").first().getByRole("button", { name: "Edit" }).click();
	await page.getByRole("textbox", { name: "Queued message" }).fill("slow 3: changed");
	await page.keyboard.press("Enter");
	await expect(queue).toContainText("slow 3: changed");
	await queue.getByRole("listitem").first().getByRole("button", { name: "Send at the next step" }).click();
	await expect(queue.getByText("At the next step", { exact: true })).toBeVisible();
	await queue
		.getByRole("listitem")
		.filter({ hasText: "second" })
		.getByRole("button", { name: "Remove" })
		.click();
	await expect(queue.getByRole("listitem")).toHaveCount(1);

	await page.keyboard.press("Control+.");
	await expect(page.locator(".tool")).toContainText(/stopped|interrupted/);
	await expect(page.getByRole("button", { name: "Stop", exact: true })).toHaveCount(0);
});

test("a dropped connection to the model is counted down, and the answer comes", { skip }, async (context) => {
	const { open, create } = await makeGround(context, {
		// Long enough for the countdown to be seen on a busy machine.
		prepare: async ({ dataDirectory }) => {
			mkdirSync(dataDirectory, { mode: 0o700 });
			writeFileSync(join(dataDirectory, "settings.json"), JSON.stringify({ "retry.baseDelayMs": 6000 }));
		},
	});
	const session = await create();
	const page = await open(`#/session/${session}`);
	await send(page, "flaky 1: here it is");
	await expect(
		page.getByText(/The model’s connection dropped. Trying again in \d s \(1 of 3\)/),
	).toBeVisible();
	await keepPicture(page, "retry");
	await expect(page.locator(".transcript")).toContainText("This is attempt 2");
	await expect(page.getByText("Trying again in")).toHaveCount(0);
});

test("a session is renamed, archived and found again", { skip }, async (context) => {
	const { open, create, client } = await makeGround(context);
	const session = await create("hello", "A first title");
	const page = await open(`#/session/${session}`);
	await page.getByRole("heading", { level: 1, name: "A first title" }).waitFor();
	const menu = page.getByRole("main").getByRole("button", { name: /^What to do with/ });
	await menu.click();
	await page.getByRole("menuitem", { name: "Rename…" }).click();
	await page.getByRole("textbox", { name: "Title" }).fill("Another title");
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { level: 1, name: "Another title" }).waitFor();
	await menu.click();
	await page.getByRole("menuitem", { name: "Archive" }).click();
	await expect(page.locator(`[data-session="${session}"]`)).toHaveCount(0);
	await page.keyboard.press("Control+k");
	await page.keyboard.type("another");
	await page.getByLabel("Archived ones too").check();
	await expect(page.locator(`[data-session="${session}"]`)).toBeVisible();
	const { sessions } = await client.request("sessions.list", { archived: true });
	assert.deepEqual(
		sessions.map(({ title, archived }) => [title, archived]),
		[["Another title", true]],
	);
});

test("a change of a file is shown as what changed, and looking folds into a line", {
	skip,
}, async (context) => {
	const { open, create } = await makeGround(context);
	const session = await create();
	const page = await open(`#/session/${session}`);
	const write = { name: "write", arguments: { path: "a.txt", content: "one\ntwo\n" } };
	const looks = [
		{ name: "read", arguments: { path: "a.txt" } },
		{ name: "ls", arguments: {} },
	];
	await send(page, `tools: ${JSON.stringify([write])}`);
	await expect(page.locator(".tool").first()).toContainText("new · +2");
	await expect(page.locator(".diff .added").first()).toContainText("+one");
	await send(page, `tools: ${JSON.stringify(looks)}`);
	await expect(page.locator(".quiet").first()).toContainText("2 looks");
	await page.locator(".quiet > .line").first().click();
	await expect(page.locator(".quiet").first()).toContainText("2 lines");
});

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { missingTool } from "../../build/setup/tools.mjs";
import { expect } from "../../renderer/testing/expect.ts";
import { closeBrowser, keepPicture, makeGround } from "./ground.ts";

const skip = missingTool("chromium");
after(closeBrowser);

test("a session is made, asked, stopped and left by keyboard alone", { skip }, async (context) => {
	const { open, place, create } = await makeGround(context);
	await create(undefined, "Another one");
	const page = await open();
	await page.getByRole("heading", { level: 1, name: "Another one" }).waitFor();
	await page.keyboard.press("Control+k");
	await page.keyboard.press("Shift+Tab");
	await expect(page.getByRole("button", { name: "New session" })).toBeFocused();
	await page.keyboard.press("Enter");
	const folder = page.getByRole("textbox", { name: "Folder" });
	await expect(folder).toHaveValue("~");
	await page.keyboard.press("Control+a");
	await page.keyboard.type(place.project);
	await page.keyboard.press("Enter");
	await expect(folder).toHaveValue("~/project");
	const start = page.getByRole("button", { name: "Start here" });
	for (let stop = 0; stop < 20; stop++) {
		if ((await page.evaluate("document.activeElement?.textContent")) === "Start here") break;
		await page.keyboard.press("Tab");
	}
	await expect(start).toBeFocused();
	await page.keyboard.press("Enter");
	await expect(page.getByRole("textbox", { name: "Say what should be done" })).toBeFocused();
	await page.keyboard.type("bash: sleep 60");
	await page.keyboard.press("Enter");
	await expect(page.locator(".tool")).toContainText("running");
	await page.keyboard.press("Control+.");
	await expect(page.locator(".tool")).toContainText(/stopped|interrupted/);
	await page.keyboard.press("Control+k");
	await page.keyboard.type("another");
	await page.getByText("Titles").waitFor();
	await page.keyboard.press("Enter");
	await expect(page).toHaveTitle("Another one · Outlive");
});

test("axe finds nothing in a session with everything in it", { skip }, async (context) => {
	const { open, create } = await makeGround(context);
	const calls = [
		{ name: "write", arguments: { path: "a.ts", content: "export const a = 1;\n" } },
		{ name: "read", arguments: { path: "a.ts" } },
		{ name: "ls", arguments: {} },
		{ name: "bash", arguments: { command: "printf '\\033[31mred\\033[0m\\n'; exit 1" } },
	];
	const session = await create(`tools: ${JSON.stringify(calls)}`);
	const page = await open(`#/session/${session}`, { reducedMotion: "reduce" });
	await expect(page.locator(".transcript")).toContainText("bash failed:");
	await keepPicture(page, "everything");
	for (const colorScheme of ["light", "dark"] as const) {
		await page.emulateMedia({ colorScheme });
		const { violations } = await new AxeBuilder({ page }).analyze();
		assert.deepEqual(
			violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
			[],
		);
	}
});

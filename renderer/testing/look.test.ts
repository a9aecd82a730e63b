import assert from "node:assert/strict";
import { after, test } from "node:test";
import { missingTool } from "../../build/setup/tools.mjs";
import { closeBrowser, openWindow } from "./open-window.ts";
import { lookAgent } from "./scene.ts";
import { shoot } from "./shoot.ts";

const skip = missingTool("chromium");
after(closeBrowser);

test("the window with real data, light and dark, narrow and enlarged", { skip }, async (context) => {
	const { page } = await openWindow(context, { agent: lookAgent(), hash: "#/session/login" });
	await page.getByText("run 20").waitFor();
	await shoot(page, "window");
	assert.equal(await page.title(), "Fix the flaky login test · Outlive");
});

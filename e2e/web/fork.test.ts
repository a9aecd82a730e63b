import assert from "node:assert/strict";
import { after, test } from "node:test";
import { missingTool } from "../../build/setup/tools.mjs";
import { expect } from "../../renderer/testing/expect.ts";
import { closeBrowser, keepPicture, makeGround } from "./ground.ts";

const skip = missingTool("chromium");
after(closeBrowser);

test("a running session is forked off its question, goes on by itself in both, and survives a kill", {
	skip,
}, async (context) => {
	const ground = await makeGround(context);
	const { open, create, killAgent, restartAgent } = ground;
	const session = await create(
		"bash: echo st''arted; until [ -e go ]; do sleep 0.05; done; echo over",
		"Original",
	);
	const page = await open(`#/session/${session}`);
	const log = page.getByRole("log", { name: "Transcript" });
	await expect(log).toContainText("started");
	const fork = page.getByRole("button", { name: "Go on from here in a session of its own" }).first();
	await fork.focus();
	await page.keyboard.press("Enter");
	await expect(page.getByRole("heading", { name: "Fork of Original" })).toBeVisible();
	await expect(log).not.toContainText("started");
	await page.getByRole("textbox", { name: "Message the session" }).fill("slow 2: aside");
	await page.keyboard.press("Enter");
	await expect(log).toContainText("2:aside");
	await keepPicture(page, "fork");

	await killAgent();
	await restartAgent();
	await expect(log).toContainText("2:aside");
	await page.getByRole("link", { name: "Forked from Original" }).click();
	await expect(log).toContainText("started");
	const { sessions } = await ground.client.request("sessions.list", {});
	const forked = sessions.find(({ forkedFrom }) => forkedFrom !== undefined);
	assert.equal(forked?.forkedFrom?.session, session);
	assert.equal(sessions.find(({ id }) => id === session)?.state.kind, "running");
	await ground.client.request("session.stop", { session });
});

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { AVAILABLE_METHODS } from "../../agent/protocol/index.ts";
import { missingTool } from "../../build/setup/tools.mjs";
import { asked, said } from "./entries.ts";
import { expect } from "./expect.ts";
import { closeBrowser, openWindow } from "./open-window.ts";
import { MODELS } from "./scene.ts";
import { shoot } from "./shoot.ts";
import { createSimulatedAgent, wireFailure } from "./simulated-agent.ts";
import { summary } from "./summaries.ts";
import { viewOf } from "./views.ts";

const skip = missingTool("chromium");
after(closeBrowser);

test("a slash lists the commands, and the keyboard completes and runs them", { skip }, async (context) => {
	const agent = createSimulatedAgent({ capabilities: [...AVAILABLE_METHODS, "session.compact"] });
	agent.answers["models.list"] = () => MODELS;
	const session = summary("s", { title: "Before", model: "claude-code/sonnet" });
	agent.answers["session.configure"] = () => ({ session });
	agent.add(viewOf(session, { entries: [asked("go"), said("Done.")] }));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const box = page.getByRole("textbox", { name: "Message the session" });
	await page.getByText("Done.").waitFor();
	await box.focus();
	await page.keyboard.type("/");
	const list = page.getByRole("listbox", { name: "Commands" });
	await expect(list.getByRole("option").first()).toContainText("/compact");
	await expect(list.getByText("/stop")).toHaveCount(0);
	await shoot(page, "commands");

	await page.keyboard.type("ren");
	await page.keyboard.press("Tab");
	await expect(box).toHaveValue("/rename ");
	await page.keyboard.type("After all");
	await page.keyboard.press("Enter");
	await expect(box).toHaveValue("");

	await page.keyboard.type("/thi");
	await page.keyboard.press("Enter");
	await page.getByRole("listbox", { name: "Choices" }).waitFor();
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("Enter");
	await expect(box).toHaveValue("");

	await page.keyboard.type("/model");
	await page.keyboard.press("Escape");
	await expect(list).toHaveCount(0);
	await page.keyboard.press("Enter");
	await page.getByText("signed in · Max").waitFor();
	await page.keyboard.press("Escape");

	const calls = () =>
		agent.calls.flatMap(({ method, params }) => (method === "session.configure" ? [params] : []));
	await expect.poll(calls).toEqual([
		{ session: "s", title: "After all" },
		{ session: "s", thinkingLevel: "high" },
	]);

	// What a command refuses is put back; what only looks like one is a message.
	agent.answers["session.configure"] = () => wireFailure("busy", "Not now.");
	await box.focus();
	await page.keyboard.type("/archive");
	await page.keyboard.press("Enter");
	await page.getByText("Not now.").waitFor();
	await expect(box).toHaveValue("/archive");
	agent.answers["session.send"] = () => ({ submission: "x", status: "queued" });
	await box.fill("/usr/bin is full");
	await page.keyboard.press("Enter");
	await expect(box).toHaveValue("");
	const sent = agent.calls.flatMap((call) => (call.method === "session.send" ? [call.params.content] : []));
	assert.deepEqual(sent, ["/usr/bin is full"]);

	await page.keyboard.type("/search cookie");
	await page.keyboard.press("Enter");
	await expect(page.getByRole("searchbox")).toHaveValue("cookie");
	await expect(page.getByRole("searchbox")).toBeFocused();
});

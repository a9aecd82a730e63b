import assert from "node:assert/strict";
import { after, test } from "node:test";
import { missingTool } from "../../build/setup/tools.mjs";
import { expect } from "./expect.ts";
import { closeBrowser, openWindow } from "./open-window.ts";
import { MODELS } from "./scene.ts";
import { createSimulatedAgent, wireFailure } from "./simulated-agent.ts";
import { summary } from "./summaries.ts";
import { viewOf } from "./views.ts";

const skip = missingTool("chromium");
after(closeBrowser);

const KEY = "sk-typed-0123456789";
const takeKeys = [
	{ id: "anthropic", name: "Anthropic" },
	{ id: "openai", name: "OpenAI" },
];

function agentThatTakesKeys() {
	const agent = createSimulatedAgent();
	const kept: object[] = [];
	agent.answers["models.list"] = () => ({
		...MODELS,
		providers: MODELS.providers.map((each) =>
			each.id === "api" && !each.available ? { ...each, takeKeys } : each,
		),
	});
	agent.answers["models.setKey"] = (params) => {
		if (params.file !== true) return wireFailure("key_needs_file");
		kept.push(params);
		return { provider: params.provider, stored: "file" };
	};
	return { agent, kept };
}

test("a key is entered on the first-run page, goes into a file only when that was agreed to, and it is said where it is", {
	skip,
}, async (context) => {
	const { agent, kept } = agentThatTakesKeys();
	const { page } = await openWindow(context, { agent });
	await page.getByRole("button", { name: "Enter a key…" }).click();
	const dialog = page.getByRole("dialog", { name: "Enter a key" });
	await dialog.getByLabel("Provider").selectOption("openai");
	const field = dialog.getByLabel("Key", { exact: true });
	assert.equal(await field.getAttribute("type"), "password");
	await field.fill(` ${KEY} `);
	await dialog.getByRole("button", { name: "Keep it" }).click();
	await expect(dialog).toContainText("No keychain or secret service of this system keeps the key for OpenAI");
	assert.deepEqual(kept, []);
	await dialog.getByRole("button", { name: "Keep it in the file" }).click();
	await expect(dialog.getByRole("status")).toContainText(/OpenAI is kept in the file keys\.json/);
	assert.deepEqual(kept, [{ provider: "openai", key: KEY, file: true }]);
	assert.equal((await page.content()).includes(KEY), false);
	const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
	assert.equal(stored.includes(KEY), false);
	await dialog.getByRole("button", { name: "Done" }).click();
	await expect(dialog).toHaveCount(0);
});

test("the header's picker offers the same, beside context sizes and prices", { skip }, async (context) => {
	const { agent } = agentThatTakesKeys();
	agent.add(viewOf(summary("s")));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	await page.getByRole("button", { name: /^Model: / }).click();
	await expect(page.getByRole("button", { name: /Sonnet/ }).last()).toContainText("200k tokens · $3 / $15");
	await page.getByRole("button", { name: "Enter a key…" }).click();
	await expect(page.getByRole("dialog", { name: "Enter a key" })).toBeVisible();
});

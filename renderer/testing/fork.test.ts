import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Locator } from "playwright";
import { missingTool } from "../../build/setup/tools.mjs";
import { answered, asked, called, said } from "./entries.ts";
import { expect } from "./expect.ts";
import { closeBrowser, openWindow } from "./open-window.ts";
import { shoot } from "./shoot.ts";
import { createSimulatedAgent, wireFailure } from "./simulated-agent.ts";
import { summary } from "./summaries.ts";
import { viewOf } from "./views.ts";

const skip = missingTool("chromium");
after(closeBrowser);

const FORK = "Go on from here in a session of its own";

function world() {
	const entries = [
		asked("question"),
		said("words", { toolCalls: [called("a", "bash", { command: "ls" })] }),
		answered("a", "bash"),
		said("answer"),
	];
	const parent = summary("s", { title: "Parent" });
	const forkedFrom = { session: "s", entry: entries[0]!.id };
	const agent = createSimulatedAgent({ answers: { "session.fork": () => ({ session: "f" }) } });
	agent.add(viewOf(parent, { entries }));
	const fork = summary("f", { title: "Fork of Parent", forkedFrom });
	agent.add(viewOf(fork, { entries: entries.slice(0, 1) }));
	const forksAsked = () =>
		agent.calls.flatMap((call) => (call.method === "session.fork" ? [call.params] : []));
	return { agent, entries, forksAsked: forksAsked };
}

test("a session is forked off any message, with a pointer or the keyboard, and the fork is shown", {
	skip,
}, async (context) => {
	const { agent, entries, forksAsked } = world();
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const controls = page.getByRole("button", { name: FORK });
	await expect(controls).toHaveCount(3);
	await page.getByText("question").hover();
	await controls.nth(0).click();
	await expect(page).toHaveURL(/#\/session\/f$/);
	await expect(page.getByRole("heading", { name: "Fork of Parent" })).toBeVisible();
	const [first] = forksAsked();
	assert.deepEqual([first?.session, first?.at], ["s", entries[0]!.id]);
	assert.ok((first?.requestId ?? "").length > 10);

	await page.getByRole("link", { name: "Forked from Parent" }).click();
	await expect(page).toHaveURL(new RegExp(`#/session/s/${entries[0]!.id}$`));
	await controls.nth(1).focus();
	await expect(controls.nth(1)).toHaveCSS("opacity", "1");
	await page.keyboard.press("Enter");
	await expect(page).toHaveURL(/#\/session\/f$/);
	assert.equal(forksAsked()[1]?.at, entries[2]!.id, "the results of its calls belong to an answer");
});

test("the control below a message that ends in code covers none of it and lies in the message's own row", {
	skip,
}, async (context) => {
	const agent = createSimulatedAgent({ answers: { "session.fork": () => ({ session: "f" }) } });
	const code = ["Run it:", "```sh", "npm test", "```"].join("\n");
	agent.add(viewOf(summary("s"), { entries: [asked("how?"), said(code), asked("thanks")] }));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const block = page.getByRole("figure");
	await block.hover();
	await shoot(page, "fork-below-code");
	const control = page.getByRole("button", { name: FORK }).nth(1);
	const box = async (element: Locator) => (await element.boundingBox())!;
	const [button, figure, row] = [
		await box(control),
		await box(block),
		await box(page.locator(".item").filter({ has: block })),
	];
	assert.ok(button.y >= figure.y + figure.height, "it lies over the code");
	assert.ok(button.y + button.height <= row.y + row.height, "it lies over the next row");
});

test("a refusal is said and nothing else happens; a subagent's work can't be forked off", {
	skip,
}, async (context) => {
	const { agent, entries } = world();
	agent.answers["session.fork"] = () => wireFailure("not_found", "There is no entry e1 in session s.");
	agent.add(viewOf(summary("sub", { parent: { session: "s", call: "a" } }), { entries }));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	await page.getByRole("button", { name: FORK }).last().focus();
	await page.keyboard.press("Enter");
	await expect(page.getByText("There is no entry e1 in session s.")).toBeVisible();
	await expect(page).toHaveURL(/#\/session\/s$/);
	await page.evaluate(() => {
		location.hash = "#/session/sub";
	});
	await expect(page.getByRole("heading", { name: "sub" })).toBeVisible();
	await expect(page.getByText("answer", { exact: true })).toBeVisible();
	await expect(page.getByRole("button", { name: FORK })).toHaveCount(0);
});

test("an agent that can't fork gets no control for it", { skip }, async (context) => {
	const { entries } = world();
	const agent = createSimulatedAgent({ capabilities: ["session.watch", "sessions.watch"] });
	agent.add(viewOf(summary("s"), { entries }));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	await expect(page.getByText("answer", { exact: true })).toBeVisible();
	await expect(page.getByRole("button", { name: FORK })).toHaveCount(0);
});

test("a reset that waits says what it will do", { skip }, async (context) => {
	const { agent } = world();
	const waiting = { submission: "9", mode: "write", kind: "pi.reset", text: "Go on." } as const;
	agent.add(viewOf(summary("busy"), { entries: [asked("go")], inbox: [waiting] }));
	const { page } = await openWindow(context, { agent, hash: "#/session/busy" });
	const queued = page.getByRole("list", { name: "Queued messages" });
	await expect(queued).toContainText("The model starts afresh after this step");
	await expect(queued).toContainText("Go on.");
});

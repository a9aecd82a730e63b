import assert from "node:assert/strict";
import { after, test } from "node:test";
import { missingTool } from "../../build/setup/tools.mjs";
import { answered, asked, said } from "./entries.ts";
import { expect } from "./expect.ts";
import { closeBrowser, openWindow } from "./open-window.ts";
import { createSimulatedAgent } from "./simulated-agent.ts";
import { spend, task, withSubagent } from "./subagent-scene.ts";
import { summary } from "./summaries.ts";
import { viewOf } from "./views.ts";

const skip = missingTool("chromium");
after(closeBrowser);

test("a subagent's call unfolds to its own transcript, live, with what it costs and may cost", {
	skip,
}, async (context) => {
	const { agent, session, child } = withSubagent();
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const line = page.getByRole("button", { name: /Find every other fixed wait/ }).first();
	await expect(line).toContainText(/running · .+ · \$0\.06/);
	await line.click();
	const sub = page.getByRole("group", { name: "Subagent: Find every other fixed wait" });
	await expect(sub).toContainText("waitForTimeout");
	await expect(sub).toContainText("11 matches");
	await expect(sub).toContainText("Two waits guard");
	await expect(sub).toContainText(/May spend \$0\.44 more and \d+ min/);
	child.state.live.partial!.text += " a redirect.";
	agent.publish();
	await expect(sub).toContainText("Two waits guard a redirect.");

	child.state.entries.push(said("Two waits guard a redirect. That is all."));
	child.state.live = { tools: [] };
	session.state.entries.push(
		answered("c1", "subagent", { text: "That is all.", conversation: "sub", spend: spend(0.09) }),
	);
	session.state.live = { tools: [] };
	agent.publish();
	await expect(line).toContainText("done · $0.09");
	await expect(sub).toContainText("That is all.");
	await expect(sub).not.toContainText("May spend");
});

test("a subagent is sent a message, stopped, and opened as its own session, with the way back", {
	skip,
}, async (context) => {
	const { agent } = withSubagent();
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	await page
		.getByRole("button", { name: /Find every other fixed wait/ })
		.first()
		.click();
	await page.getByRole("button", { name: "Send it a message" }).click();
	await page.getByRole("textbox", { name: "Message to the subagent" }).fill("only in src");
	await page.keyboard.press("Enter");
	await expect(page.getByRole("textbox", { name: "Message to the subagent" })).toHaveCount(0);
	await page.getByRole("button", { name: /^Stop it: the subagent Find every/ }).click();
	await expect.poll(() => agent.calls.filter(({ method }) => method === "session.stop").length).toBe(1);
	const sent = agent.calls.flatMap((call) => (call.method === "session.send" ? [call.params] : []));
	assert.deepEqual(
		sent.map(({ session, content, whenBusy }) => ({ session, content, whenBusy })),
		[{ session: "sub", content: "only in src", whenBusy: "steer" }],
	);
	const stopped = agent.calls.flatMap((call) => (call.method === "session.stop" ? [call.params] : []));
	assert.deepEqual(stopped, [{ session: "sub", run: "r9" }]);

	await page.getByRole("button", { name: "Open as its own session" }).click();
	await expect(page.getByRole("heading", { name: "Subagent of Fix it" })).toBeVisible();
	await page.getByRole("button", { name: "Back to what called it" }).click();
	await expect(page.getByRole("heading", { name: "Fix it", exact: true })).toBeVisible();
});

test("the tree of tasks shows what a subagent does, live, and lets it be stopped", {
	skip,
}, async (context) => {
	const { agent, child } = withSubagent();
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const work = page.getByRole("complementary", { name: "Work and context" });
	await expect(work.getByRole("listitem")).toHaveText([/^\s*Answer/, /Subagent/, /Answer/]);
	child.state.tasks = [task("t7", { kind: "generation", children: [task("t8", { name: "grep" })] })];
	agent.publish();
	await expect(work.getByRole("listitem")).toHaveText([/^\s*Answer/, /Subagent/, /Answer/, /grep/]);
	await work.getByRole("button", { name: "Stop the subagent" }).click();
	await expect
		.poll(() => agent.calls.flatMap((call) => (call.method === "session.stop" ? [call.params] : [])))
		.toEqual([{ session: "sub" }]);
});

test("the answer of a subagent in the background stands there as its own, not as a person's words", {
	skip,
}, async (context) => {
	const agent = createSimulatedAgent();
	const from = { description: "Count the files", status: "answered" as const };
	agent.add(
		viewOf(summary("s"), { entries: [asked("go"), asked("There are 12.", { from }), said("Good.")] }),
	);
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const report = page.getByRole("article", { name: "A subagent’s answer" });
	await expect(report).toContainText("The subagent “Count the files” has answered.");
	await expect(report).toContainText("There are 12.");
	await expect(page.getByRole("article", { name: "You" })).toHaveCount(1);
});

test("a session whose subagent works in the background is running in the list, and its Stop stops that", {
	skip,
}, async (context) => {
	const agent = createSimulatedAgent({ answers: { "session.stop": () => ({ stopped: true }) } });
	const since = Date.now() - 48_000;
	const at = summary("s", {
		state: { kind: "running", since, background: true },
		activity: { text: "subagent", tool: "subagent", since },
	});
	agent.add(viewOf(at, { entries: [asked("go"), said("It works on it.")] }));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const row = page.locator(".row", { has: page.locator('[data-session="s"]') });
	await expect(row).toContainText(/subagent, \d+ s/);
	await row.hover();
	await row.getByRole("button", { name: `What to do with ${at.title}` }).click();
	await page.getByRole("menuitem", { name: "Stop" }).click();
	await expect
		.poll(() => agent.calls.filter(({ method }) => method === "session.stop").map(({ params }) => params))
		.toEqual([{ session: "s", background: true }]);
});

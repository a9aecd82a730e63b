import assert from "node:assert/strict";
import { after, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright";
import type { SessionListView } from "../../agent/protocol/index.ts";
import { missingTool } from "../../build/setup/tools.mjs";
import { answered, asked, called, said } from "./entries.ts";
import { expect } from "./expect.ts";
import { closeBrowser, openWindow } from "./open-window.ts";
import { lookAgent, MODELS } from "./scene.ts";
import { shoot } from "./shoot.ts";
import { createSimulatedAgent } from "./simulated-agent.ts";
import { spend, withSubagent } from "./subagent-scene.ts";
import { summary } from "./summaries.ts";
import { viewOf } from "./views.ts";

const skip = missingTool("chromium");
after(closeBrowser);

async function assertAccessible(page: Page, where: string): Promise<void> {
	for (const colorScheme of ["light", "dark"] as const) {
		await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
		const axe = new AxeBuilder({ page });
		// In the other scheme only the colours are others.
		if (colorScheme === "dark") axe.withRules(["color-contrast"]);
		const { violations } = await axe.analyze();
		const found = violations.flatMap(({ id, nodes }) =>
			nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary?.slice(0, 300)}`),
		);
		assert.deepEqual(found, [], `${where}, ${colorScheme}`);
	}
}

test("axe finds nothing in any state, light or dark", { skip }, async (context) => {
	const agent = lookAgent();
	const markdown =
		"# A heading\n\nText with `code`, **bold**, a [link](https://example.com).\n\n- one\n- two\n\n> quoted\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n```ts\nconst a = 'b'; // c\n```\n";
	agent.add(viewOf(summary("text", { title: "Text" }), { entries: [asked("Show me"), said(markdown)] }));
	agent.add(viewOf(summary("empty", { title: "Empty" })));
	const edit = (id: string) => [
		asked("Again"),
		said("", { toolCalls: [called(id, "edit", { path: "a.ts", old_string: "a", new_string: "b" })] }),
		answered(id, "edit", {
			text: "Edited.",
			details: { path: "a.ts", diff: "-1 a\n+1 b", added: 1, removed: 1 },
		}),
	];
	agent.add(viewOf(summary("twice", { title: "Twice" }), { entries: [...edit("c1"), ...edit("c2")] }));
	const now = Date.now();
	agent.list.state.problems = [
		{ code: "database_restored", message: "The store was restored.", fix: "See the copy.", at: now },
		{ code: "disk_low", message: "The disk is almost full.", fix: "Free some space.", at: now },
	];
	const { page } = await openWindow(context, { agent, hash: "#/session/login" });
	await page.getByText("run 20").waitFor();
	await assertAccessible(page, "a running session");
	await page.getByRole("button", { name: /looked/ }).click();
	await page.getByRole("button", { name: /^bash/ }).click();
	await assertAccessible(page, "unfolded");
	await page.getByRole("button", { name: /^Model/ }).click();
	await page.getByText("signed in · Max").waitFor();
	await assertAccessible(page, "choosing a model");
	await page.keyboard.press("Escape");
	await page.getByRole("button", { name: "What to do with Fix the flaky login test" }).last().click();
	await assertAccessible(page, "a menu");
	await page.getByRole("menuitem", { name: "Rename…" }).click();
	await page.getByRole("dialog").waitFor();
	await assertAccessible(page, "a dialog");
	await page.keyboard.press("Escape");
	await page.locator('[data-session="text"]').click();
	await page.getByRole("heading", { name: "A heading" }).waitFor();
	await assertAccessible(page, "an answer");
	await page.locator('[data-session="twice"]').click();
	await expect(page.getByRole("group", { name: "What changed" })).toHaveCount(2);
	await assertAccessible(page, "the same things twice");
	await page.locator('[data-session="empty"]').click();
	await page.getByText("Nothing was said yet.").waitFor();
	await assertAccessible(page, "an empty session");
	await page.setViewportSize({ width: 640, height: 400 });
	await page.getByRole("button", { name: "Work and context" }).click();
	await page.getByText("Tokens in context").waitFor();
	await assertAccessible(page, "narrow, with the inspector over it");
});

test("axe finds nothing in the row of a subagent that is unfolded, at work and done", {
	skip,
}, async (context) => {
	const { agent, session, child } = withSubagent();
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	await page
		.getByRole("button", { name: /Find every other fixed wait/ })
		.first()
		.click();
	const sub = page.getByRole("group", { name: "Subagent: Find every other fixed wait" });
	await expect(sub).toContainText("Two waits guard");
	await shoot(page, "subagent-unfolded");
	await assertAccessible(page, "a subagent at work");
	await sub.getByRole("button", { name: /grep/ }).click();
	await expect(sub.getByRole("button", { name: /grep/ })).toHaveAttribute("aria-expanded", "true");
	await assertAccessible(page, "a call of it unfolded");

	child.state.entries.push(said("Two waits guard a redirect."));
	child.state.live = { tools: [] };
	session.state.entries.push(
		answered("c1", "subagent", { text: "Two waits.", conversation: "sub", spend: spend(0.09) }),
	);
	session.state.live = { tools: [] };
	agent.publish();
	await expect(sub).toContainText("Two waits guard a redirect.");
	await assertAccessible(page, "a subagent that is done");
});

test("axe finds nothing before there is a session", { skip }, async (context) => {
	const agent = createSimulatedAgent();
	agent.answers["models.list"] = () => MODELS;
	const { page, server } = await openWindow(context, { agent });
	await page.getByText("Nothing answers at localhost").waitFor();
	await assertAccessible(page, "the first run");
	await page.getByRole("button", { name: "Start in a folder…" }).click();
	await page.getByText("No folders in here.").waitFor();
	await assertAccessible(page, "the folder picker");
	await page.keyboard.press("Escape");
	server.goAway();
	await page.getByText("The agent is away").waitFor();
	await page.reload();
	await page.getByRole("button", { name: "Try now" }).waitFor();
	await assertAccessible(page, "without an agent");
});

test("everything can be done by keyboard", { skip }, async (context) => {
	const agent = lookAgent();
	agent.answers["session.send"] = () => ({ submission: "x", status: "queued" });
	agent.answers["session.configure"] = () => ({ session: agent.list.target.sessions.login! });
	const { page } = await openWindow(context, { agent, hash: "#/session/login" });
	await page.getByText("run 20").waitFor();
	const focus = () =>
		page.evaluate(
			() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "",
		);

	await expect.poll(focus).toBe("Message the running session");
	await page.keyboard.type("one more thing");
	await page.keyboard.press("Shift+Enter");
	await page.keyboard.type("in two lines");
	await page.keyboard.press("Enter");
	const sent = () =>
		agent.calls.flatMap((call) => (call.method === "session.send" ? [call.params.content] : []));
	await expect.poll(sent).toEqual(["one more thing\nin two lines"]);

	// To another session and back, by searching and by arrow keys.
	await page.keyboard.press("Control+k");
	await expect.poll(focus).toMatch(/^Search sessions/);
	await page.keyboard.type("postgres");
	await page.getByText("Titles").waitFor();
	await page.keyboard.press("Enter");
	await expect(page).toHaveTitle(/Postgres/);
	await page.keyboard.press("Control+k");
	await page.keyboard.press("Escape");
	await page.keyboard.press("ArrowDown");
	await expect.poll(focus).toMatch(/Rotate the staging keys/);
	await page.keyboard.press("ArrowDown");
	await expect.poll(focus).toMatch(/Fix the flaky login test/);
	await page.keyboard.press("Enter");
	await expect(page).toHaveTitle(/flaky/);

	// The row's menu, a new title.
	await page.keyboard.press("Control+k");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Tab");
	await expect.poll(focus).toBe("What to do with Fix the flaky login test");
	await page.keyboard.press("Enter");
	await expect.poll(focus).toMatch(/Rename/);
	await page.keyboard.press("Enter");
	await page.getByRole("dialog", { name: "Rename the session" }).waitFor();
	await page.keyboard.type("Another title");
	await page.keyboard.press("Enter");
	const configured = () =>
		agent.calls.flatMap((call) => (call.method === "session.configure" ? [call.params] : []));
	await expect.poll(configured).toEqual([{ session: "login", title: "Another title" }]);

	// Every stop of Tab shows where the focus is.
	await page.keyboard.press("Control+k");
	const seen = new Set<string>();
	for (let stop = 0; stop < 40; stop++) {
		await page.keyboard.press("Tab");
		const { label, isVisible } = await page.evaluate(() => {
			const element = document.activeElement as HTMLElement;
			const shown = [element, ...(element.closest(".box, label, li")?.children ?? [])].concat(
				element.parentElement ?? [],
			);
			const outlined = (each: Element) => {
				const own = getComputedStyle(each);
				const after = getComputedStyle(each, "::after");
				return (
					own.outlineStyle !== "none" ||
					after.outlineStyle !== "none" ||
					each.matches(".box:focus-within, label:focus-within")
				);
			};
			return {
				label: `${element.tagName} ${element.getAttribute("aria-label") ?? element.textContent?.slice(0, 40)}`,
				isVisible:
					element === document.body || shown.some(outlined) || element.closest(".box:focus-within") !== null,
			};
		});
		seen.add(label);
		assert.ok(isVisible, `the focus on ${label} can't be seen`);
	}
	for (const wanted of ["Model: ", "Transcript", "Remove", "Stop", "Message the running session"])
		assert.ok(
			[...seen].some((label) => label.includes(wanted)),
			`${wanted} in ${[...seen].join("; ")}`,
		);
});

test("200 sessions are listed, few of them drawn, and the last is reached by keyboard", {
	skip,
}, async (context) => {
	const agent = createSimulatedAgent();
	const sessions: SessionListView["sessions"] = {};
	for (let index = 0; index < 200; index++)
		sessions[`s${index}`] = summary(`s${index}`, { title: `Session ${index}`, updatedAt: 1000 - index });
	agent.list.state.sessions = sessions;
	agent.list.state.counts.total = 200;
	agent.add(viewOf(sessions.s0!, { entries: [asked("go")] }));
	agent.add(viewOf(sessions.s199!, { entries: [asked("the last one")] }));
	const { page } = await openWindow(context, { agent, hash: "#/session/s0" });
	await page.getByText("go", { exact: true }).waitFor();
	assert.ok((await page.locator("[data-session]").count()) < 60);
	await page.keyboard.press("Control+k");
	for (let step = 0; step < 200; step++) await page.keyboard.press("ArrowDown");
	await expect(page.locator('[data-session="s199"]')).toBeFocused();
	await page.keyboard.press("Enter");
	await page.getByText("the last one").waitFor();
	assert.ok((await page.evaluate(() => document.querySelectorAll("*").length)) < 3000);
});

test("two windows on one session show the same", { skip }, async (context) => {
	const agent = createSimulatedAgent();
	const session = agent.add(viewOf(summary("s"), { entries: [asked("go")] }));
	const one = await openWindow(context, { agent, hash: "#/session/s" });
	const two = await openWindow(context, { agent, hash: "#/session/s" });
	for (const { page } of [one, two]) await page.getByText("go", { exact: true }).waitFor();
	session.state.inbox = [{ submission: "q", text: "from a terminal", mode: "followUp" }];
	session.state.entries.push(said("both see this"));
	agent.publish();
	for (const { page } of [one, two]) {
		await page.getByText("both see this").waitFor();
		await expect(page.getByRole("list", { name: "Queued messages" })).toContainText("from elsewhere");
	}
});

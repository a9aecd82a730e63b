import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { LiveView } from "../../agent/protocol/index.ts";
import { AVAILABLE_METHODS } from "../../agent/protocol/index.ts";
import { missingTool } from "../../build/setup/tools.mjs";
import { asked, RUN } from "./entries.ts";
import { expect } from "./expect.ts";
import { closeBrowser, openWindow } from "./open-window.ts";
import { MODELS } from "./scene.ts";
import { createSimulatedAgent } from "./simulated-agent.ts";
import { summary } from "./summaries.ts";
import { viewOf } from "./views.ts";

const skip = missingTool("chromium");
after(closeBrowser);

const later = Date.now() + 3_600_000;
const RETRY: Partial<LiveView> = {
	retry: { attempt: 2, max: 3, at: later, error: "Connection reset.", cause: "dropped" },
};
const BUSY: Partial<LiveView> = {
	retry: { attempt: 1, max: 3, at: later, error: "529 Overloaded", cause: "overloaded" },
};
const LIMIT: Partial<LiveView> = {
	waiting: { for: "limit", until: later, error: "You've hit your 5-hour limit." },
};
const NETWORK: Partial<LiveView> = { waiting: { for: "network", until: later, error: "No route." } };
const MAKING_ROOM = { reason: "threshold", blocking: true } as const;
const SUMMARY_LIMIT: Partial<LiveView> = {
	compaction: {
		...MAKING_ROOM,
		waiting: { for: "limit", until: later, error: "You've hit your weekly limit." },
	},
};
const SUMMARY_NETWORK: Partial<LiveView> = {
	compaction: { ...MAKING_ROOM, waiting: { for: "network", until: later, error: "No route." } },
};
const SUMMARY_RETRY: Partial<LiveView> = {
	compaction: { ...MAKING_ROOM, retry: { at: later, error: "429 Slow down", cause: "rate_limit" } },
};
const SLOT: Partial<LiveView> = { waiting: { for: "slot" } };
const SUMMARY_SLOT: Partial<LiveView> = { compaction: { ...MAKING_ROOM, waiting: { for: "slot" } } };

test("each wait says what for, and can be ended where that helps", { skip }, async (context) => {
	const agent = createSimulatedAgent();
	agent.answers["models.list"] = () => MODELS;
	agent.answers["session.tryNow"] = () => ({ tried: true });
	agent.answers["session.configure"] = ({ session }) => ({ session: summary(session) });
	const session = agent.add(
		viewOf(summary("s"), { entries: [asked("go")], live: { run: RUN, tools: [], ...RETRY } }),
	);
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const tryNow = page.getByRole("button", { name: "Try now" });
	const note = page.locator(".note").filter({ has: tryNow });
	const tries = () => agent.calls.filter(({ method }) => method === "session.tryNow").length;
	for (const [index, [live, words]] of (
		[
			[RETRY, "The model’s connection dropped. Trying again in"],
			[BUSY, "The model is overloaded. Trying again in"],
			[LIMIT, "You've hit your 5-hour limit."],
			[NETWORK, "Waiting for the network."],
			[SUMMARY_LIMIT, "You've hit your weekly limit. It goes on by itself then."],
			[SUMMARY_NETWORK, "Waiting for the network. It goes on by itself when that is back"],
			[SUMMARY_RETRY, "The model gets too many requests. Trying again in"],
		] as const
	).entries()) {
		session.state.live = { run: RUN, tools: [], ...live };
		agent.publish();
		await expect(note).toContainText(words);
		await tryNow.click();
		await expect.poll(tries).toBe(index + 1);
	}
	const switches = () => agent.calls.filter(({ method }) => method === "session.configure").length;
	for (const [index, live] of [LIMIT, SUMMARY_LIMIT].entries()) {
		session.state.live = { run: RUN, tools: [], ...live };
		agent.publish();
		await page.getByRole("button", { name: "Switch model…" }).click();
		await page
			.getByRole("dialog")
			.getByRole("button", { name: /^script-1/ })
			.click();
		await expect.poll(switches).toBe(index + 1);
	}
	for (const live of [SLOT, SUMMARY_SLOT]) {
		session.state.live = { run: RUN, tools: [], ...live };
		agent.publish();
		await expect(page.getByText("Making room.")).toHaveCount(live === SUMMARY_SLOT ? 1 : 0);
		await page.getByText("Waiting for a slot.").waitFor();
		await expect(tryNow).toHaveCount(0);
	}
});

test("an agent that can't try now shows no button for it", { skip }, async (context) => {
	const capabilities = AVAILABLE_METHODS.filter((method) => method !== "session.tryNow");
	const agent = createSimulatedAgent({ capabilities });
	agent.add(viewOf(summary("s"), { entries: [asked("go")], live: { run: RUN, tools: [], ...LIMIT } }));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	await page.getByText("The run goes on by itself then.").waitFor();
	assert.equal(await page.getByRole("button", { name: "Try now" }).count(), 0);
});

test("a session that waits because its subagents do says so, and tries now for them", {
	skip,
}, async (context) => {
	const agent = createSimulatedAgent({ answers: { "session.tryNow": () => ({ tried: true }) } });
	const state = { kind: "waiting", for: "network", until: later, background: true } as const;
	agent.add(viewOf(summary("s", { state }), { entries: [asked("go")] }));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const note = page.locator(".note", { hasText: "A subagent stands still: waiting for the network." });
	await note.getByRole("button", { name: "Try now" }).click();
	await expect.poll(() => agent.calls.some(({ method }) => method === "session.tryNow")).toBe(true);
});

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { missingTool } from "../../build/setup/tools.mjs";
import { asked, marked, said } from "./entries.ts";
import { expect } from "./expect.ts";
import { closeBrowser, openWindow } from "./open-window.ts";
import { createSimulatedAgent } from "./simulated-agent.ts";
import { summary } from "./summaries.ts";
import { viewOf } from "./views.ts";

const skip = missingTool("chromium");
after(closeBrowser);

test("a compaction by hand: begun in the inspector, shown as it runs, marked with its summary, and the context falls", {
	skip,
}, async (context) => {
	const compacted = Promise.withResolvers<{ outcome: "compacted"; entry: string }>();
	const agent = createSimulatedAgent({ answers: { "session.compact": () => compacted.promise } });
	const session = agent.add(viewOf(summary("s"), { entries: [asked("go"), said("gone")] }));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const meter = page.getByRole("meter", { name: "Context in use" });
	await expect(meter).toHaveAttribute("aria-valuenow", "76210");

	await page.getByRole("button", { name: "Compact", exact: true }).click();
	session.state.live = { tools: [], compaction: { reason: "manual", blocking: false } };
	agent.publish();
	const note = page.getByText("What came before is being summarised for the model", { exact: false });
	await note.waitFor();
	await expect(page.getByRole("button", { name: "Compact", exact: true })).toBeDisabled();
	await page.locator(".note").getByRole("button", { name: "Stop" }).click();
	await expect.poll(() => agent.calls.some(({ method }) => method === "session.stop")).toBe(true);

	const mark = marked("pi.compaction", "## Goal\n- go <b>on</b>", { reason: "manual" } as never);
	session.state.entries.push(mark);
	session.state.live = { tools: [] };
	session.state.usage.context = { tokens: 1_200, window: 200_000 };
	agent.publish();
	compacted.resolve({ outcome: "compacted", entry: mark.id });
	await expect(meter).toHaveAttribute("aria-valuenow", "1200");
	await expect(note).toHaveCount(0);
	const fold = page.getByRole("button", { name: /^Compacted by hand/ });
	await expect(fold).toHaveAttribute("aria-expanded", "false");
	await fold.click();
	await expect(page.getByRole("group", { name: "Summary for the model" })).toContainText("- go <b>on</b>");
	const asking = agent.calls.find(({ method }) => method === "session.compact")!;
	assert.deepEqual(Object.keys(asking.params).sort(), ["requestId", "session"]);
});

test("a session in which nothing was said yet offers no compaction", { skip }, async (context) => {
	const agent = createSimulatedAgent();
	const session = agent.add(viewOf(summary("s"), { entries: [] }));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	await page.getByText("Tokens used").waitFor();
	const compact = page.getByRole("button", { name: "Compact", exact: true });
	await expect(compact).toHaveCount(0);
	session.state.entries.push(asked("go"));
	agent.publish();
	await compact.waitFor();
});

test("while a run waits for a compaction the window says so, and what a retry waits for", {
	skip,
}, async (context) => {
	const agent = createSimulatedAgent();
	const session = agent.add(viewOf(summary("s"), { entries: [asked("go")] }));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	session.state.live = {
		tools: [],
		run: { id: "s1", inputs: ["s1"], startedAt: 0 },
		compaction: {
			reason: "threshold",
			blocking: true,
			retry: { at: Date.now() + 60_000, error: "overloaded" },
		},
	};
	agent.publish();
	const note = page.locator(".note", { hasText: "Making room." });
	await expect(note).toContainText("overloaded");
	await expect(note.getByRole("button")).toHaveText(["Try now"]);
});

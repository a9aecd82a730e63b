import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { EntryPage } from "../../agent/protocol/index.ts";
import { missingTool } from "../../build/setup/tools.mjs";
import { answered, asked, called, RUN, said } from "./entries.ts";
import { expect } from "./expect.ts";
import { closeBrowser, openWindow } from "./open-window.ts";
import { createSimulatedAgent, wireFailure } from "./simulated-agent.ts";
import { summary } from "./summaries.ts";
import { viewOf } from "./views.ts";

const skip = missingTool("chromium");
after(closeBrowser);

const words = (from: number, to: number) =>
	Array.from({ length: to - from }, (_, index) => `word${from + index}`).join(" ");

test("an answer streams in at the end, and only its last block is drawn again", { skip }, async (context) => {
	const agent = createSimulatedAgent();
	const session = agent.add(viewOf(summary("s"), { entries: [asked("go")] }));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	await page.getByText("go", { exact: true }).waitFor();
	session.state.live = { run: RUN, tools: [], partial: { text: "First **bold** block.\n\nSecond" } };
	agent.publish();
	await expect(page.locator(".say strong")).toHaveText("bold");
	await page.evaluate(() => {
		document.querySelector(".say strong")?.setAttribute("data-still", "");
	});
	for (let step = 0; step < 20; step++) {
		session.state.live.partial!.text += ` and ${step}`;
		agent.publish();
	}
	await expect(page.locator(".say").last()).toContainText("and 19");
	await expect(page.locator(".say .caret")).toHaveCount(1);
	session.state.entries.push(said(`${session.target.live.partial!.text}.`));
	session.state.live = { tools: [] };
	agent.publish();
	await expect(page.locator(".say").last()).toContainText("and 19.");
	await expect(page.locator(".say .caret")).toHaveCount(0);
	await expect(page.locator(".say strong[data-still]")).toHaveCount(1);
});

test("the end is followed by who is there, and nobody else is moved", { skip }, async (context) => {
	const agent = createSimulatedAgent();
	const entries = Array.from({ length: 120 }, (_, index) =>
		index % 2 === 0 ? asked(`question ${index}`) : said(words(0, 60)),
	);
	const session = agent.add(viewOf(summary("s"), { entries }));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const list = page.locator(".transcript");
	const left = () => list.evaluate((box) => Math.round(box.scrollHeight - box.clientHeight - box.scrollTop));
	await expect.poll(left).toBeLessThan(2);
	session.state.live = { run: RUN, tools: [], partial: { text: words(0, 300) } };
	agent.publish();
	await expect(page.locator(".say").last()).toContainText("word299");
	await expect.poll(left).toBeLessThan(2);

	await list.hover();
	await page.mouse.wheel(0, -1500);
	await expect.poll(left).toBeGreaterThan(800);
	const before = await topRow(page);
	for (let step = 1; step < 10; step++) {
		session.state.live.partial!.text += `\n\n${words(300 * step, 300 * (step + 1))}`;
		agent.publish();
	}
	await expect.poll(left).toBeGreaterThan(2000);
	assert.deepEqual(await topRow(page), before);
	await page.getByRole("button", { name: "To the end" }).click();
	await expect.poll(left).toBeLessThan(2);
	session.state.live.partial!.text += `\n\n${words(9000, 9300)}`;
	agent.publish();
	await expect(page.locator(".say").last()).toContainText("word9299");
	await expect.poll(left).toBeLessThan(2);
});

/** Scrolls up by 600 px and waits a few frames; how far down a row that was in view went. */
async function scrollUpAndSeeHowFar(box: Element): Promise<number> {
	const top = box.getBoundingClientRect().top;
	const row = [...box.querySelectorAll(".item")].find((each) => each.getBoundingClientRect().bottom > top);
	const before = row?.getBoundingClientRect().top ?? 0;
	// At the very top there is no room until older entries are there.
	for (let frame = 0; box.scrollTop < 600 && frame < 120; frame++) await new Promise(requestAnimationFrame);
	const here = row?.getBoundingClientRect().top ?? 0;
	if (Math.abs(here - before) > 1) return Number.NaN;
	if (box.scrollTop < 600) {
		box.dispatchEvent(new WheelEvent("wheel", { deltaY: -600 }));
		box.scrollTop = 0;
		return 600;
	}
	box.dispatchEvent(new WheelEvent("wheel", { deltaY: -600 }));
	box.scrollTop -= 600;
	for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame);
	return row?.isConnected === true ? row.getBoundingClientRect().top - before : 600;
}

/** The row at the top of the view, and where it is. */
function topRow(page: import("playwright").Page) {
	return page.locator(".transcript").evaluate((box) => {
		const top = box.getBoundingClientRect().top;
		const row = [...box.querySelectorAll<HTMLElement>(".item")].find(
			(each) => each.getBoundingClientRect().bottom > top,
		);
		return { key: row?.dataset.key, at: Math.round((row?.getBoundingClientRect().top ?? 0) - top) };
	});
}

test("the end stays in view when what is there shrinks and grows, or the view does", {
	skip,
}, async (context) => {
	const agent = createSimulatedAgent();
	const entries = Array.from({ length: 60 }, () => said(words(0, 60)));
	const session = agent.add(viewOf(summary("s"), { entries }));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const left = () =>
		page
			.locator(".transcript")
			.evaluate((box) => Math.round(box.scrollHeight - box.clientHeight - box.scrollTop));
	await expect.poll(left).toBeLessThan(2);
	for (let step = 0; step < 12; step++) {
		session.state.live = { run: RUN, tools: [], partial: { text: words(0, step % 2 === 0 ? 900 : 5) } };
		session.state.inbox = Array.from({ length: step % 4 }, (_, index) => ({
			submission: `q${index}`,
			text: "queued",
			mode: "followUp" as const,
		}));
		agent.publish();
		await page.evaluate(() => new Promise(requestAnimationFrame));
		await page.getByRole("textbox", { name: /^Message the/ }).fill("line\n".repeat(step % 5));
	}
	await expect.poll(left).toBeLessThan(2);
	await expect(page.getByRole("button", { name: "To the end" })).toHaveCount(0);
});

test("older entries are loaded on the way up, and nothing jumps", { skip }, async (context) => {
	const agent = createSimulatedAgent();
	const all = Array.from({ length: 1000 }, (_, index) =>
		index % 2 === 0 ? asked(`question ${index}`) : said(words(0, 20 + ((index * 37) % 90))),
	);
	agent.add(viewOf(summary("s"), { entries: all.slice(-200), hasOlder: true }), all.slice(0, -200));
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const list = page.locator(".transcript");
	await page.getByText("question 998").waitFor();
	const pages = () => agent.calls.filter(({ method }) => method === "session.entries").length;
	const first = page.getByText("question 0", { exact: true });
	for (let step = 0; step < 400 && (await first.count()) === 0; step++) {
		const moved = await list.evaluate(scrollUpAndSeeHowFar);
		assert.ok(Math.abs(moved - 600) < 2, `what was in view moved by ${moved} px at step ${step}`);
	}
	await page.getByText("question 0", { exact: true }).waitFor();
	assert.ok(pages() >= 4 && pages() <= 8, `${pages()} pages`);
	const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
	assert.ok(nodes < 3000, `${nodes} elements`);
});

test("who waits at the very top keeps the row that is there when older entries come", {
	skip,
}, async (context) => {
	const agent = createSimulatedAgent();
	const all = Array.from({ length: 400 }, (_, index) => asked(`question ${index}`));
	agent.add(viewOf(summary("s"), { entries: all.slice(-200), hasOlder: true }), all.slice(0, -200));
	const older = Promise.withResolvers<EntryPage>();
	agent.answers["session.entries"] = () => older.promise;
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	await page.getByText("question 399").waitFor();
	await page.locator(".transcript").evaluate((box) => {
		box.dispatchEvent(new WheelEvent("wheel", { deltaY: -1 }));
		box.scrollTop = 0;
	});
	await page.getByText("Loading what came before…").waitFor();
	const top = await page.getByText("question 200", { exact: true }).elementHandle();
	const before = await top?.boundingBox();
	older.resolve({ entries: all.slice(0, 200), hasOlder: false, hasNewer: true });
	await page.getByText("Loading what came before…").waitFor({ state: "detached" });
	await page.getByText("question 199", { exact: true }).waitFor({ state: "attached" });
	assert.equal(await top?.evaluate((row) => row.isConnected), true, "it was made anew");
	const moved = ((await top?.boundingBox())?.y ?? Number.NaN) - (before?.y ?? Number.NaN);
	assert.ok(Math.abs(moved) < 1, `it moved by ${moved} px`);
});

test("a message is kept until the agent has it, over a lost connection and a reload", {
	skip,
}, async (context) => {
	const agent = createSimulatedAgent();
	const session = agent.add(viewOf(summary("s"), { entries: [asked("before")] }));
	const sent: string[] = [];
	agent.answers["session.send"] = ({ content, requestId }) => {
		if (!sent.includes(requestId)) {
			sent.push(requestId);
			session.state.entries.push(asked(String(content), { submission: "s9" }));
			agent.publish();
		}
		return { submission: "s9", status: "placed", entry: "e" };
	};
	const { page, server } = await openWindow(context, { agent, hash: "#/session/s" });
	await page.getByText("before").waitFor();
	server.goAway();
	await page.getByText("The agent isn’t running.").waitFor();
	await page.getByPlaceholder("Message the session").fill("while away");
	await page.keyboard.press("Enter");
	await page.getByText("Sent when the agent is back").waitFor();
	await page.reload();
	await page.getByRole("heading", { name: "The agent isn’t running" }).waitFor();
	server.comeBack();
	await expect(page.locator(".you").last()).toHaveText("while away", { timeout: 15_000 });
	await expect(page.getByText("Sent when the agent is back")).toHaveCount(0);
	assert.equal(sent.length, 1);
});

test("what is typed and not sent survives a reload and belongs to its session", { skip }, async (context) => {
	const agent = createSimulatedAgent();
	agent.add(viewOf(summary("one"), { entries: [asked("first")] }));
	agent.add(viewOf(summary("two"), { entries: [asked("second")] }));
	const { page } = await openWindow(context, { agent, hash: "#/session/one" });
	const box = page.getByPlaceholder("Message the session");
	await box.fill("a draft");
	await page.locator('[data-session="two"]').click();
	await page.getByText("second").waitFor();
	await expect(box).toHaveValue("");
	await page.locator('[data-session="one"]').click();
	await expect(box).toHaveValue("a draft");
	await page.reload();
	await expect(box).toHaveValue("a draft");
});

test("queued messages are edited, moved and taken back", { skip }, async (context) => {
	const agent = createSimulatedAgent();
	const session = agent.add(
		viewOf(summary("s", { state: { kind: "running", since: Date.now() } }), {
			entries: [asked("go")],
			live: { run: RUN, tools: [] },
			inbox: [{ submission: "q1", text: "then this", mode: "followUp" }],
		}),
	);
	agent.answers["session.edit"] = ({ content, whenBusy }) => {
		const item = session.state.inbox[0]!;
		if (content !== undefined) item.text = String(content);
		if (whenBusy !== undefined) item.mode = whenBusy;
		agent.publish();
		return { submission: "q1", status: "queued" };
	};
	agent.answers["session.withdraw"] = () => {
		session.state.inbox = [];
		agent.publish();
		return { submission: "q1", status: "unanswered", reason: "withdrawn" };
	};
	agent.answers["session.stop"] = () => ({ stopped: true });
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const queue = page.getByRole("list", { name: "Queued messages" });
	await queue.getByRole("button", { name: "Edit" }).click();
	await page.getByRole("textbox", { name: "Queued message" }).fill("then that");
	await page.keyboard.press("Enter");
	await expect(queue).toContainText("then that");
	await queue.getByRole("button", { name: "Send at the next step" }).click();
	await expect(queue).toContainText("At the next step");
	await queue.getByRole("button", { name: "Send after this run" }).click();
	await expect(queue).toContainText("Queued");
	await queue.getByRole("button", { name: "Remove" }).click();
	await expect(queue).toBeHidden();
	await page.keyboard.press("Control+.");
	await expect.poll(() => agent.calls.filter(({ method }) => method === "session.stop").length).toBe(1);
	const stop = agent.calls.flatMap((call) => (call.method === "session.stop" ? [call.params] : []));
	assert.deepEqual(stop, [{ session: "s", run: "s1" }]);
});

test("a refused message goes back to where it was typed, and why is said", { skip }, async (context) => {
	const agent = createSimulatedAgent();
	agent.add(viewOf(summary("s"), { entries: [asked("go")] }));
	agent.answers["session.send"] = () => wireFailure("model_unavailable");
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const box = page.getByPlaceholder("Message the session");
	await box.fill("please");
	await page.keyboard.press("Enter");
	await expect(page.getByRole("alert")).toContainText("That model can't answer now");
	await expect(box).toHaveValue("please");
	await page.getByRole("button", { name: "Put away" }).click();
	await expect(page.getByRole("alert")).toBeHidden();
});

test("a file is named by @, and completed by keyboard", { skip }, async (context) => {
	const agent = createSimulatedAgent();
	agent.add(viewOf(summary("s"), { entries: [asked("go")] }));
	agent.answers["files.complete"] = ({ query }) => ({
		matches: [
			{ path: "src", kind: "folder" as const },
			{ path: "src/a.ts", kind: "file" as const },
		].filter(({ path }) => path.startsWith(query)),
		hasMore: false,
	});
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	const box = page.getByPlaceholder("Message the session");
	await box.pressSequentially("look at @sr");
	await page.getByRole("option", { name: "src/a.ts" }).waitFor();
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Tab");
	await expect(box).toHaveValue("look at @src/a.ts ");
	await box.pressSequentially("and @s");
	await page.getByRole("option", { name: "src/", exact: true }).waitFor();
	await page.keyboard.press("Escape");
	await expect(page.getByRole("option")).toHaveCount(0);
	await expect(box).toHaveValue("look at @src/a.ts and @s");
});

test("a command's whole output is read piece by piece, with its colours", { skip }, async (context) => {
	const agent = createSimulatedAgent();
	const output = Buffer.from(
		Array.from({ length: 40_000 }, (_, index) => `\x1b[3${index % 8}mline ${index}\x1b[0m é😀`).join("\n"),
	);
	agent.add(
		viewOf(summary("s"), {
			entries: [
				asked("go"),
				said("", { toolCalls: [called("c1", "bash", { command: "seq" })] }),
				answered("c1", "bash", {
					text: "line 0\n[… 1,000 bytes left out …]\nline 39999",
					details: { exitCode: 0 },
				}),
			],
		}),
	);
	agent.answers["session.output"] = ({ offset, limit }) => ({
		base64: output.subarray(offset, offset + limit).toString("base64"),
		offset,
		total: output.length,
		complete: true,
	});
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	await page.getByRole("button", { name: /open the whole output/ }).click();
	const dialog = page.getByRole("dialog");
	await dialog.getByText("line 0 é😀").waitFor();
	await expect(dialog.locator('[data-colour="red"]').first()).toHaveText("line 1");
	const lines = dialog.locator(".output");
	await expect
		.poll(async () => {
			await lines.evaluate((box) => box.scrollTo(0, box.scrollHeight));
			return dialog.getByText("line 39999 é😀").count();
		})
		.toBe(1);
	assert.ok((await dialog.locator("pre").count()) < 200);
	await page.keyboard.press("Escape");
	await expect(dialog).toHaveCount(0);
});

test("an image is pasted, scaled to what models take, and sent", { skip }, async (context) => {
	const agent = createSimulatedAgent();
	agent.add(viewOf(summary("s"), { entries: [asked("go")] }));
	agent.answers["session.send"] = () => ({ submission: "x", status: "placed", entry: "e" });
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	await page.getByPlaceholder("Message the session").fill("what is this");
	await page.evaluate(async () => {
		const canvas = new OffscreenCanvas(4000, 1000);
		canvas.getContext("2d")?.fillRect(0, 0, 4000, 1000);
		const blob = await canvas.convertToBlob({ type: "image/png" });
		const data = new DataTransfer();
		data.items.add(new File([blob], "a.png", { type: "image/png" }));
		document
			.querySelector("textarea")
			?.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
	});
	await page.getByAltText("Image 1 to send").waitFor();
	await page.keyboard.press("Enter");
	await expect.poll(() => agent.calls.filter(({ method }) => method === "session.send").length).toBe(1);
	const [sent] = agent.calls.flatMap((call) => (call.method === "session.send" ? [call.params.content] : []));
	assert.ok(Array.isArray(sent));
	assert.deepEqual(
		sent.map(({ type }) => type),
		["text", "image"],
	);
	const image = sent.find((part) => part.type === "image");
	const header = Buffer.from(image?.data ?? "", "base64");
	assert.deepEqual([header.readUInt32BE(16), header.readUInt32BE(20)], [2000, 500], "the size in the PNG");
});

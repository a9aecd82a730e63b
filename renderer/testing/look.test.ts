import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { FolderList, SessionView } from "../../agent/protocol/index.ts";
import { missingTool } from "../../build/setup/tools.mjs";
import { answered, asked, called, RUN, said } from "./entries.ts";
import { expect } from "./expect.ts";
import { closeBrowser, openWindow } from "./open-window.ts";
import { lookAgent, MODELS } from "./scene.ts";
import { shoot } from "./shoot.ts";
import { createSimulatedAgent } from "./simulated-agent.ts";
import { summary } from "./summaries.ts";
import { viewOf } from "./views.ts";

const skip = missingTool("chromium");
after(closeBrowser);

const FOLDERS: Record<string, FolderList> = {
	"/home/ada": {
		directory: "/home/ada",
		parent: "/home",
		folders: [
			{ name: "code", directory: "/home/ada/code", repository: true },
			{ name: "Documents", directory: "/home/ada/Documents", repository: false },
		],
		hasMore: false,
	},
	"/home/ada/code": { directory: "/home/ada/code", parent: "/home/ada", folders: [], hasMore: false },
};

test("the window with real data, at its full size, at 900 px and enlarged to 200 %", {
	skip,
}, async (context) => {
	const { page } = await openWindow(context, { agent: lookAgent(), hash: "#/session/login" });
	await page.getByText("run 20").waitFor();
	await shoot(page, "window");
	assert.equal(await page.title(), "Fix the flaky login test · Outlive");
	await page.getByRole("button", { name: /^Looked|looked/ }).click();
	await page.getByText("84 lines").waitFor();
	await shoot(page, "window-unfolded");
	await page.setViewportSize({ width: 900, height: 800 });
	await shoot(page, "window-900");
	await page.getByRole("button", { name: "Work and context" }).click();
	await page.getByText("Tokens in context").waitFor();
	await shoot(page, "window-900-inspector");
	await page.keyboard.press("Escape");
	// A window of 1280 × 800 at 200 % has half as many pixels of its own to lay out.
	await page.setViewportSize({ width: 640, height: 400 });
	await shoot(page, "window-200-percent");
	await page.getByRole("button", { name: "Sessions", exact: true }).click();
	await page.getByText("Rotate the staging keys").waitFor();
	await shoot(page, "window-200-percent-sidebar");
});

test("the first run says who can answer, why the others can't, and starts in a folder", {
	skip,
}, async (context) => {
	const agent = createSimulatedAgent();
	agent.answers["models.list"] = () => MODELS;
	agent.answers["folders.list"] = ({ directory = "/home/ada" }) =>
		FOLDERS[directory] ?? FOLDERS["/home/ada"]!;
	agent.answers["sessions.create"] = () => {
		agent.add(
			viewOf(summary("made", { title: "hello" }), { entries: [asked("hello"), said("Hello to you.")] }),
		);
		agent.publish();
		return { session: "made", submission: "s1" };
	};
	const { page } = await openWindow(context, { agent });
	await page.getByText("Nothing answers at localhost:11434").waitFor();
	await shoot(page, "first-run");

	// Three clicks and one typed sentence to the first word.
	await page.getByRole("button", { name: "Start in a folder…" }).click();
	await page.getByRole("button", { name: "code" }).waitFor();
	await shoot(page, "folder-picker");
	await page.getByRole("button", { name: "code" }).click();
	await page.getByRole("button", { name: "Start here" }).click();
	await page.getByText("What should be done in").waitFor();
	await shoot(page, "new-session");
	await page.keyboard.type("hello");
	await page.keyboard.press("Enter");
	await page.getByText("Hello to you.").waitFor();
	const created = agent.calls.flatMap((call) => (call.method === "sessions.create" ? [call.params] : []));
	assert.deepEqual(
		created.map(({ directory, content }) => [directory, content]),
		[["/home/ada/code", "hello"]],
	);
});

test("every state of the agent has its page", { skip }, async (context) => {
	const { page, server, agent } = await openWindow(context, {
		agent: createSimulatedAgent(),
		prepare: (page) => page.clock.install(),
	});
	await page.getByText("Start in a folder").first().waitFor();
	server.goAway();
	await page.getByText("The agent is away").waitFor();
	await page.reload();
	await page.getByRole("heading", { name: "The agent isn’t running" }).waitFor();
	await shoot(page, "agent-gone-at-start");

	// While time stands still the window doesn't try by itself: the attempt that is seen is the button's.
	await page.clock.pauseAt(Date.now() + 60_000);
	const before = server.attempts;
	await page.getByRole("button", { name: "Try now" }).click();
	await expect.poll(() => server.attempts).toBeGreaterThan(before);
	server.comeBack();
	await page.clock.resume();
	await page.getByText("Start in a folder").first().waitFor();
	assert.ok(agent.connections >= 1);
});

test("an agent of another version is told apart, and which side is older", { skip }, async (context) => {
	const agent = createSimulatedAgent({ protocols: [2], version: "0.9.0" });
	const { page } = await openWindow(context, { agent });
	await page.getByRole("heading", { name: "This window is older than the agent" }).waitFor();
	await page.getByText("(0.9.0) speaks version 2 of the protocol, this window version 1").waitFor();
	await shoot(page, "mismatch");
});

test("what a session waits for is said in place", { skip }, async (context) => {
	const now = Date.now();
	const agent = createSimulatedAgent();
	agent.answers["models.list"] = () => MODELS;
	const run = { id: "s1", inputs: ["s1"], startedAt: now - 60_000 };
	const scenes: Record<string, Partial<SessionView>> = {
		retry: {
			live: { run, tools: [], retry: { attempt: 2, max: 3, at: now + 60_000, error: "Connection reset." } },
		},
		limit: {
			live: {
				run,
				tools: [],
				waiting: { for: "limit", until: now + 3_600_000, error: "Claude’s 5-hour limit is used up." },
			},
		},
		network: {
			live: { run, tools: [], waiting: { for: "network", until: now + 60_000, error: "No route." } },
		},
		slot: { live: { run, tools: [], waiting: { for: "slot" } } },
		parked: { parked: { at: now, reason: "the agent ended while reading a file." } },
		interrupted: {
			entries: [
				asked("Deploy it"),
				said("", { toolCalls: [called("c1", "bash", { command: "make deploy" })] }),
				answered("c1", "bash", { interrupted: true, isError: true, text: "building…\nuploading 3 of 7" }),
				said("It was cut off while it uploaded.", { stopReason: "aborted" }),
			],
		},
		"output-cut": {
			entries: [
				asked("Run the tests"),
				said("", { at: now - 128_000, toolCalls: [called("c1", "bash", { command: "npm test" })] }),
				answered("c1", "bash", {
					at: now,
					isError: true,
					text: "PASS  src/cart.test.ts\n…\n[… 6,112,330 bytes left out …]\n…\nFAIL  src/login.test.ts  expected 200, got 302\nexit code 1",
					details: { exitCode: 1, spool: { bytes: 6_142_330 }, truncated: true },
				}),
			],
		},
		failed: {
			session: summary("failed", {
				title: "failed",
				state: { kind: "failed", reason: "401: the key was refused." },
			}),
			entries: [asked("Go on"), said("", { stopReason: "error", errorMessage: "401: the key was refused." })],
		},
	};
	for (const [id, scene] of Object.entries(scenes))
		agent.add(viewOf(summary(id, { title: id }), { entries: [asked("Do it"), said("On it.")], ...scene }));
	agent.list.state.problems = [
		{ code: "disk_low", message: "The disk is almost full.", fix: "Free some space on it.", at: now },
		{
			code: "database_restored",
			message: "The store was damaged and restored from the copy of yesterday.",
			fix: "What came after 09:00 is missing; the damaged file is kept beside it.",
			at: now,
		},
	];
	const { page } = await openWindow(context, { agent, hash: "#/session/retry" });
	await page.getByText("Trying again in").waitFor();
	await page.getByText("The disk is almost full.").waitFor();
	await shoot(page, "retry-and-problems");
	await page.getByRole("button", { name: "Put away" }).click();
	await page.getByText("The store was damaged").waitFor({ state: "detached" });
	for (const [id, words] of [
		["limit", "The run goes on by itself then."],
		["network", "Waiting for the network."],
		["slot", "Waiting for a slot."],
		["parked", "Parked."],
		["interrupted", "interrupted · not run again"],
		["output-cut", "6,112,330 bytes the model did not see"],
		["failed", "The model's answer failed: 401"],
	] as const) {
		await page.locator(`[data-session="${id}"]`).click();
		await page.getByText(words).first().waitFor();
		await shoot(page, id);
	}
	await page.goto(`${page.url().split("#")[0]}#/session/nowhere`);
	await page.getByRole("heading", { name: "This session isn’t there" }).waitFor();
	await shoot(page, "no-session");
});

test("code is coloured off the main thread, without elements of its own, also while it is written", {
	skip,
}, async (context) => {
	const agent = createSimulatedAgent();
	const code =
		"```ts\n// a comment\nexport const name: string = 'text';\nfunction add(a: number) {\n\treturn a;\n}\n```";
	const text = `# What changed\n\nThe importer now **streams**, see \`src/import.ts\` and [the notes](https://example.com).\n\n- one\n- two\n  - two and a half\n\n> quoted\n\n| file | lines |\n|:--|--:|\n| a.ts | 12 |\n\n${code}\n\nNested:\n\n1. first\n   \`\`\`py\n   def f(): return "x"\n   \`\`\`\n`;
	const session = agent.add(
		viewOf(summary("s", { title: "Markdown" }), { entries: [asked("Show me"), said(text)] }),
	);
	const { page } = await openWindow(context, { agent, hash: "#/session/s" });
	await page.getByText("a comment").waitFor();
	const painted = () =>
		page.evaluate(() =>
			Object.fromEntries(
				[...CSS.highlights].map(([name, ranges]) => [
					name,
					[...ranges].map((range) =>
						(range.startContainer as Text).data.slice(range.startOffset, range.endOffset),
					),
				]),
			),
		);
	await expect.poll(async () => (await painted())["code-keyword"] ?? []).toContain("export");
	const colours = await painted();
	assert.ok(colours["code-comment"]?.includes("// a comment"));
	assert.ok(colours["code-name"]?.includes("add"));
	assert.ok(colours["code-string"]?.includes('"x"'), "also in a list");
	assert.equal(await page.locator("figure code *").count(), 0);
	await shoot(page, "markdown");

	session.state.live = { run: RUN, tools: [], partial: { text: "```ts\nconst first = 1;\n" } };
	agent.publish();
	await expect
		.poll(async () => (await painted())["code-keyword"]?.filter((word) => word === "const").length)
		.toBe(2);
	session.state.live.partial!.text += "const second = 2;\n";
	agent.publish();
	await expect
		.poll(async () => (await painted())["code-keyword"]?.filter((word) => word === "const").length)
		.toBe(3);
	session.state.live = { tools: [] };
	session.state.entries = [asked("gone")];
	agent.publish();
	await expect.poll(async () => Object.values(await painted()).flat()).toEqual([]);
});

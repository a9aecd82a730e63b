import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright";
import type { WireEntry } from "../../agent/protocol/index.ts";
import { missingTool } from "../../build/setup/tools.mjs";
import { answered, asked, called, marked, said } from "./entries.ts";
import { HOSTILE } from "./hostile-corpus.ts";
import { closeBrowser, openWindow } from "./open-window.ts";
import { createSimulatedAgent } from "./simulated-agent.ts";
import { summary } from "./summaries.ts";
import { viewOf } from "./views.ts";

const skip = missingTool("chromium");
after(closeBrowser);

/** The text in every place that shows what someone else wrote. */
function everywhere(text: string, index: number): WireEntry[] {
	const call = `c${index}`;
	return [
		asked(text),
		said(text, {
			thinking: { text },
			model: index % 2 === 0 ? "script/script-1" : `x/${text}`,
			toolCalls: [
				called(`${call}a`, "bash", { command: text }),
				called(`${call}b`, "edit", { path: text }),
				called(`${call}c`, text, { [text]: text }),
				{ ...called(`${call}d`, "read", { path: text }), repair: { note: text, sent: text } },
			],
		}),
		answered(`${call}a`, "bash", { text, details: { exitCode: 1 }, isError: true }),
		answered(`${call}b`, "edit", {
			text,
			details: { diff: `@@ -1 +1 @@\n-${text}\n+${text}`, added: 1, removed: 1 },
		}),
		answered(`${call}c`, text, { text, isError: true, diagnostics: [{ severity: "error", message: text }] }),
		answered(`${call}d`, "read", { text, details: { kind: text } }),
		marked("outlive.mark", text),
		said("", { stopReason: "error", errorMessage: text }),
	];
}

/** What stands in the page that must never come from a text. */
function foundIn(page: Page): Promise<string[]> {
	return page.evaluate(() => {
		const found: string[] = [];
		for (const element of document.querySelectorAll("#app *")) {
			for (const { name, value } of element.attributes) {
				if (name.startsWith("on")) found.push(`a handler: ${element.outerHTML.slice(0, 200)}`);
				if (["src", "srcset", "srcdoc", "action", "formaction", "data", "background", "ping"].includes(name))
					if (!value.startsWith("blob:")) found.push(`an address: ${element.outerHTML.slice(0, 200)}`);
			}
			if (element.localName === "a" && !/^(https:\/\/|#\/)/.test(element.getAttribute("href") ?? "#/"))
				found.push(`a link: ${element.outerHTML.slice(0, 200)}`);
			if (
				/^(script|iframe|object|embed|style|link|meta|base|form|math|template|video|audio|portal|input)$/.test(
					element.localName,
				)
			) {
				const own = element.closest(".side, .box, dialog");
				if (own === null) found.push(`an element: ${element.outerHTML.slice(0, 200)}`);
			}
			// The window's own icons are the only drawings.
			if (element.localName === "svg" && element.getAttribute("aria-hidden") !== "true")
				found.push(`a drawing: ${element.outerHTML.slice(0, 200)}`);
		}
		if (document.querySelectorAll("head base, head meta[http-equiv=refresh]").length > 0)
			found.push("in the head");
		return found;
	});
}

test("hostile texts stay texts wherever they are shown", { skip }, async (context) => {
	assert.ok(HOSTILE.length >= 52);
	const agent = createSimulatedAgent();
	const text = HOSTILE.join(" ").slice(0, 150);
	for (const [index, each] of HOSTILE.entries())
		agent.add(
			viewOf(
				summary(`s${index}`, {
					title: each,
					directory: `/home/${each}`,
					project: `/home/${each}`,
					state: { kind: "failed", reason: each },
				}),
				{
					entries: everywhere(each, index),
					live: {
						run: { id: "r", inputs: [], startedAt: 0 },
						partial: { text: each, thinking: { text: each } },
						retry: { attempt: 1, max: 3, at: 0, error: each },
						tools: [{ callId: "l", name: each, status: "running", output: each }],
					},
					inbox: [{ submission: "q", text: each, mode: "followUp" }],
					tasks: [{ id: "t", kind: "tool", name: each, status: "running", background: false, children: [] }],
					background: [{ call: "b", pid: 1, command: each, startedAt: 0 }],
					requests: [{ id: "r", kind: "question", text: each, choices: [], at: 0 }],
					parked: { at: 0, reason: each },
				},
			),
		);
	agent.list.state.problems = [{ code: text, message: text, fix: text, at: 0 }];
	agent.answers["models.list"] = () => ({
		models: [],
		providers: [{ id: text, name: text, kind: "api", available: false, reason: text, fix: text }],
		default: null,
		refreshing: false,
	});

	const dialogs: string[] = [];
	const { page } = await openWindow(context, {
		agent,
		prepare: async (page) => {
			page.on("dialog", (dialog) => {
				dialogs.push(dialog.message());
				void dialog.dismiss();
			});
			await page.exposeFunction("pwned", () => dialogs.push("pwned"));
		},
	});
	const titles = new Set<string>();
	for (const index of HOSTILE.keys()) {
		await page.goto(`${page.url().split("#")[0]}#/session/s${index}`);
		await page.locator(`h1[title]`).waitFor();
		await page.waitForFunction(
			(title) => document.querySelector("h1")?.getAttribute("title") === title,
			HOSTILE[index],
		);
		titles.add(await page.title());
		// Everything that can be unfolded is.
		for (let round = 0; round < 3; round++)
			await page.evaluate(() => {
				for (const button of document.querySelectorAll<HTMLElement>('.transcript [aria-expanded="false"]'))
					button.click();
			});
		await page.locator(".transcript").evaluate((list) => list.scrollTo(0, 0));
		await page.evaluate(() => new Promise(requestAnimationFrame));
		assert.deepEqual(await foundIn(page), [], `for ${HOSTILE[index]}`);
	}
	assert.ok(titles.size > 50, "every session was shown");
	// The search for such elements can find them.
	await page.evaluate(() => {
		const bad = document.createElement("p");
		bad.setAttribute("background", "https://evil.test/");
		document.querySelector(".transcript")?.append(bad, document.createElement("iframe"));
	});
	assert.equal((await foundIn(page)).length, 2);
	assert.deepEqual(dialogs, []);
	assert.deepEqual(page.context().pages().length, 1, "nothing opened");
});

test("a link in an answer opens outside, over https only, and the window stays where it is", {
	skip,
}, async (context) => {
	const agent = createSimulatedAgent();
	const text = "[out](https://example.com/a?b=c) and <https://example.org> and https://example.net/x.";
	agent.add(viewOf(summary("s"), { entries: [said(text)] }));
	const { page } = await openWindow(context, {
		agent,
		hash: "#/session/s",
		prepare: async (page) => {
			await page.addInitScript(() => {
				const opened: unknown[] = [];
				Object.assign(window, { opened, open: (...args: unknown[]) => opened.push(args) });
			});
		},
	});
	const links = page.locator(".say a");
	await links.first().waitFor();
	assert.equal(await links.count(), 3);
	for (const link of await links.all()) {
		assert.equal(await link.getAttribute("rel"), "noopener noreferrer");
		await link.click();
	}
	assert.deepEqual(await page.evaluate(() => (window as unknown as { opened: unknown[] }).opened), [
		["https://example.com/a?b=c", "_blank", "noopener,noreferrer"],
		["https://example.org", "_blank", "noopener,noreferrer"],
		["https://example.net/x", "_blank", "noopener,noreferrer"],
	]);
	assert.match(page.url(), /#\/session\/s$/);
});

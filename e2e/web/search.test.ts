import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { makeStore } from "../../build/bench/fixture/make-store.ts";
import { missingTool } from "../../build/setup/tools.mjs";
import { expect } from "../../renderer/testing/expect.ts";
import { closeBrowser, type Ground, keepPicture, makeGround } from "./ground.ts";

const skip = missingTool("chromium");
after(closeBrowser);

/** A message of a person, so many entries before the newest. */
async function oldMessage({ client }: Ground, session: string, back: number) {
	let page = await client.request("session.entries", { session, before: await newest(), limit: 200 });
	for (let at = 200; at < back; at += 200)
		page = await client.request("session.entries", { session, before: page.entries[0]!.id, limit: 200 });
	return page.entries.find(({ role }) => role === "user")!;

	async function newest(): Promise<string> {
		const { answer } = (await client.request("session.send", {
			session,
			content: "hello",
			requestId: crypto.randomUUID(),
		})) as { answer?: string };
		if (answer !== undefined) return answer;
		const found = await client.request("search", { query: "hello", limit: 1 });
		return found.hits[0]!.entry;
	}
}

test("what was said long ago is found by keyboard alone, and leads to its place in the transcript", {
	skip,
}, async (context) => {
	const ground = await makeGround(context, {
		prepare: async ({ dataDirectory, project }) => {
			mkdirSync(dataDirectory, { mode: 0o700 });
			await makeStore(join(dataDirectory, "outlive.sqlite"), project, [{ sessions: 1, entries: 2_000 }]);
		},
	});
	const { open, create, client } = ground;
	const { sessions } = await client.request("sessions.list", {});
	const session = sessions[0]!.id;
	const old = await oldMessage(ground, session, 1_200);
	await create(undefined, "Another one");
	const page = await open();
	// Either of the two is brought up: the answer that is still coming may make the other one the newest.
	await page.getByRole("link", { name: /^Another one/ }).click();
	await page.getByRole("heading", { level: 1, name: "Another one" }).waitFor();

	await page.keyboard.press("Control+k");
	await page.keyboard.type(old.text);
	const hit = page.locator(`[data-row="hit ${session} ${old.id}"]`);
	await hit.waitFor();
	await expect(page.locator(".side .group")).toHaveText(["In the text"]);
	assert.ok((await hit.locator("mark").count()) > 0, "what was found is marked in the snippet");
	await page.keyboard.press("ArrowDown");
	await expect(hit).toBeFocused();
	await keepPicture(page, "search");
	await page.keyboard.press("Enter");
	const row = page.locator(".transcript .col.found");
	await expect(row).toContainText(old.text);
	await expect(row).toBeInViewport();
	await expect(page.locator(".transcript")).toBeFocused();
	await expect.poll(() => page.evaluate("CSS.highlights.get('found')?.size ?? 0")).toBeGreaterThan(0);
	await keepPicture(page, "search-landed");

	// What is around it is there too, by scrolling both ways; a reload leads to the same place.
	const keys = () =>
		page.locator(".transcript .item").evaluateAll((rows) => rows.map((row) => row.getAttribute("data-key")));
	const before = await keys();
	await page.keyboard.press("PageUp");
	await expect.poll(async () => (await keys())[0]).not.toBe(before[0]);
	await page.reload();
	await expect(row).toContainText(old.text);
	await expect(row).toBeInViewport();
	await page.getByRole("button", { name: "To the end" }).click();
	await expect(page.locator(".transcript")).toContainText("hello");
	await expect(row).toHaveCount(0);
});

test("a search is narrowed by project, time and archive, in the titles and in the text", {
	skip,
}, async (context) => {
	const { open, create, client, place } = await makeGround(context);
	const other = join(place.home, "other");
	mkdirSync(other);
	const said = "the heirloom is in the jar";
	const here = await create(said, "Here");
	const { session: there } = await client.request("sessions.create", {
		directory: other,
		title: "There",
		model: "script/script-1",
		content: said,
		requestId: crypto.randomUUID(),
	});
	const page = await open();
	const found = () =>
		page
			.locator('[data-row^="hit "]')
			.evaluateAll((rows) =>
				[...new Set(rows.map((row) => row.getAttribute("data-row")?.split(" ")[1]))].sort(),
			);
	await page.getByRole("searchbox").waitFor();
	await page.keyboard.press("Control+k");
	await page.keyboard.type("heirloom");
	await expect.poll(found).toEqual([here, there].sort());
	await page.getByLabel("Project", { exact: true }).selectOption({ label: "other" });
	await expect.poll(found).toEqual([there]);
	await page.getByLabel("Since").selectOption("Today");
	await expect.poll(found).toEqual([there]);
	await client.request("session.configure", { session: there, archived: true });
	await expect.poll(found).toEqual([]);
	await expect(page.locator(".side")).toContainText("Nothing was found.");
	await page.getByLabel("Archived ones too").check();
	await expect.poll(found).toEqual([there]);
	await page.getByRole("searchbox").focus();
	await page.keyboard.press("Escape");
	await expect(page.locator(".side .group").first()).toHaveText("Earlier");
});

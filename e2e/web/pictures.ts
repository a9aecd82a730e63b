/**
 * `npm run pictures`: the README's pictures, made anew from a real run: an agent, the scripted model, and the window in
 * Chromium. They are kept in build/pictures/.
 */
import { join } from "node:path";
import { expect } from "../../renderer/testing/expect.ts";
import { closeBrowser, keepPicture, makeGround } from "./ground.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "build", "pictures");

const endings: (() => unknown)[] = [];
const ground = await makeGround({ after: (end) => void endings.push(end as () => unknown) });
try {
	await picture();
} finally {
	for (const end of endings) await end();
	await closeBrowser();
}

async function picture(): Promise<void> {
	const { create, open, client } = ground;
	await create("What does the importer do with a cut-off line?", "Explain the importer");
	await create("flaky 3: the release notes", "Draft the release notes");
	const session = await create(undefined, "Fix the flaky login test");
	const page = await open(`#/session/${session}`);
	const send = async (text: string, shown: string) => {
		await page.getByRole("textbox", { name: /^Message the/ }).fill(text);
		await page.keyboard.press("Enter");
		await expect(page.locator(".transcript")).toContainText(shown);
		await expect
			.poll(async () => (await client.request("sessions.list", {})).sessions[0]?.state.kind)
			.toBe("idle");
	};
	const test = 'test("login", async () => {\n\tawait page.waitForTimeout(200);\n});\n';
	await send(calls([{ name: "write", arguments: { path: "login.spec.ts", content: test } }]), "new · +3");
	await send(
		calls([
			{ name: "read", arguments: { path: "login.spec.ts" } },
			{ name: "grep", arguments: { pattern: "waitForTimeout" } },
		]),
		"2 looks",
	);
	const change = {
		path: "login.spec.ts",
		old_string: "await page.waitForTimeout(200);",
		new_string: 'await page.waitForResponse("**/session");',
	};
	await send(calls([{ name: "edit", arguments: change }]), "+1 −1");
	await page
		.getByRole("textbox", { name: /^Message the/ })
		.fill("bash: for i in $(seq 30); do printf 'run %s \\033[32m✓ 1 passed\\033[0m\\n' $i; sleep 0.5; done");
	await page.keyboard.press("Enter");
	await expect(page.locator(".tool").last()).toContainText("run 6");
	await page.getByRole("textbox", { name: /^Message the/ }).fill("Then fix checkout.spec.ts the same way");
	await page.keyboard.press("Enter");
	await expect(page.getByRole("list", { name: "Queued messages" })).toContainText("checkout");
	await keepPicture(page, "window", FOLDER);
	await client.request("session.stop", { session });
}

function calls(list: readonly object[]): string {
	return `tools: ${JSON.stringify(list)}`;
}

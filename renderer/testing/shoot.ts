import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright";
import { ROOT } from "./open-window.ts";

const FOLDER = join(ROOT, "artifacts", "look");

/** Keeps what the page shows, in light and dark, for people to look at. */
export async function shoot(page: Page, name: string): Promise<void> {
	mkdirSync(FOLDER, { recursive: true });
	for (const colorScheme of ["light", "dark"] as const) {
		await page.emulateMedia({ colorScheme });
		await page.screenshot({ path: join(FOLDER, `${name}-${colorScheme}.png`) });
	}
	await page.emulateMedia({ colorScheme: "light" });
}

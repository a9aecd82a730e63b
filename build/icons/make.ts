/**
 * `npm run icons`: draws every picture of pictures.ts from icon.svg, in Chromium, into `made/`. They are kept in the
 * repository, so that nobody needs a browser to build the app.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Browser, chromium } from "playwright";
import { findChromium } from "../setup/chromium.mjs";
import { FINGERPRINT_FILE, iconFingerprint } from "./fingerprint.ts";
import { PICTURES, type Picture } from "./pictures.ts";

const made = join(import.meta.dirname, "made");
const svg = readFileSync(join(import.meta.dirname, "icon.svg"), "utf8");

const browser = await chromium.launch({
	executablePath: findChromium(),
	args: ["--no-sandbox", "--force-color-profile=srgb"],
});
try {
	rmSync(made, { recursive: true, force: true });
	for (const picture of PICTURES) {
		const file = join(made, picture.file);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, await draw(browser, picture));
	}
	writeFileSync(join(made, FINGERPRINT_FILE), `${iconFingerprint()}\n`);
} finally {
	await browser.close();
}

async function draw(browser: Browser, { symbol, size, ring = "none", dot = "none" }: Picture) {
	const page = await browser.newPage({ viewport: { width: size, height: size } });
	await page.setContent(
		`<style>* { margin: 0 } body > svg:first-child { position: absolute; width: 0; height: 0 }
		.shown { display: block; width: ${size}px; height: ${size}px; --ring: ${ring}; --dot: ${dot} }</style>
		${svg}<svg class="shown"><use href="#${symbol}" /></svg>`,
	);
	const png = await page.screenshot({ omitBackground: true });
	await page.close();
	return png;
}

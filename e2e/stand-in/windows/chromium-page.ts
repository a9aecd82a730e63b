import type { EventEmitter } from "node:events";
import type { CdpValue } from "../browser/cdp.ts";
import { chromium } from "../browser/index.ts";
import { PRELOAD_WORLD } from "./page-scripts.ts";

export type Size = { readonly width: number; readonly height: number };

/** A page in Chromium, before anything is loaded in it. Every request that it makes waits to be let through. */
export type ChromiumPage = {
	readonly target: string;
	/** The id of its main frame. */
	readonly frame: string;
	readonly events: EventEmitter;
	send(method: string, params?: object): Promise<CdpValue>;
};

export type PageScripts = {
	/** The name by which the preload's world calls out. */
	readonly binding: string;
	readonly page: string;
	readonly preload: string | undefined;
};

export async function openPage(scripts: PageScripts, size: Size): Promise<ChromiumPage> {
	const cdp = await chromium.cdp;
	const create = { url: "about:blank", newWindow: true, ...size };
	const { targetId: target } = await cdp.send("Target.createTarget", create);
	const { sessionId } = await cdp.send("Target.attachToTarget", { targetId: target, flatten: true });
	const send = (method: string, params = {}) => cdp.send(method, params, sessionId);
	await cdp.send("Target.setDiscoverTargets", { discover: true });
	await send("Page.enable");
	const { frameTree } = await send("Page.getFrameTree");
	await send("Runtime.addBinding", { name: scripts.binding, executionContextName: PRELOAD_WORLD });
	await send("Runtime.enable");
	await send("Page.addScriptToEvaluateOnNewDocument", { source: scripts.page });
	if (scripts.preload !== undefined)
		await send("Page.addScriptToEvaluateOnNewDocument", {
			worldName: PRELOAD_WORLD,
			source: scripts.preload,
		});
	await send("Emulation.setDeviceMetricsOverride", metrics(size));
	await send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
	return { target, frame: frameTree.frame.id, events: cdp.events(sessionId), send };
}

export function metrics({ width, height }: Size) {
	return { width, height, deviceScaleFactor: 1, mobile: false };
}

/** Calls back when Chromium has closed the page. */
export async function onPageClosed(target: string, closed: () => void): Promise<void> {
	const cdp = await chromium.cdp;
	cdp.events("").on("Target.targetDestroyed", ({ targetId }: CdpValue) => {
		if (targetId === target) closed();
	});
}

export async function closePage(target: string): Promise<void> {
	const cdp = await chromium.cdp;
	await cdp.send("Target.closeTarget", { targetId: target });
}

/** Closes the pages that a page has opened; there is one on its way. */
export async function closePopups(opener: string): Promise<void> {
	const cdp = await chromium.cdp;
	const next = new Promise<void>((resolve) => {
		cdp.events("").once("Target.targetCreated", () => resolve());
	});
	const close = async () => {
		const { targetInfos } = await cdp.send("Target.getTargets");
		const opened = targetInfos.filter(({ openerId }: CdpValue) => openerId === opener);
		for (const { targetId } of opened) await closePage(targetId);
		return opened.length > 0;
	};
	if (await close()) return;
	await next;
	await close();
}

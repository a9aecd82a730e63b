import type { Session } from "electron";
import { chromium } from "./browser/index.ts";
import { strict } from "./strict.ts";

/** Permissions that Chromium can be told about, by their names there and in Electron. */
const PERMISSIONS = [
	["geolocation", "geolocation"],
	["notifications", "notifications"],
	["camera", "media"],
	["microphone", "media"],
	["midi", "midi"],
	["clipboard-read", "clipboard-read"],
] as const;

type RequestHandler = NonNullable<Parameters<Session["setPermissionRequestHandler"]>[0]>;
type CheckHandler = NonNullable<Parameters<Session["setPermissionCheckHandler"]>[0]>;

type Represented = Pick<
	Session,
	"setPermissionRequestHandler" | "setPermissionCheckHandler" | "setDevicePermissionHandler"
>;

let onRequest: RequestHandler | null = null;
let onCheck: CheckHandler | null = null;

const defaultSession: Represented = {
	setPermissionRequestHandler(handler) {
		onRequest = handler;
	},
	setPermissionCheckHandler(handler) {
		onCheck = handler;
	},
	// No page here can see a device.
	setDevicePermissionHandler() {},
};

/**
 * Asks the handlers about each permission and tells Chromium what they say, before a page of this origin runs. Without
 * handlers everything is granted, as in Electron.
 *
 * @param address the page's address as the app knows it
 */
export async function applyPermissions(
	page: Electron.WebContents,
	origin: string,
	address: string,
): Promise<void> {
	const cdp = await chromium.cdp;
	for (const [name, electronName] of PERMISSIONS) {
		const setting = (await isGranted(page, electronName, address)) ? "granted" : "denied";
		await cdp.send("Browser.setPermission", { permission: { name }, setting, origin });
	}
}

async function isGranted(
	page: Electron.WebContents,
	name: (typeof PERMISSIONS)[number][1],
	address: string,
): Promise<boolean> {
	const details = { isMainFrame: true, requestingUrl: address };
	if (onCheck !== null && name !== "clipboard-read" && !onCheck(page, name, address, details)) return false;
	if (onRequest === null) return true;
	const ask = onRequest;
	return new Promise((decide) => ask(page, name, decide, details));
}

export const session = strict("session", {
	defaultSession: strict("session.defaultSession", defaultSession),
});

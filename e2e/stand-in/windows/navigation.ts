import type { CdpValue } from "../browser/cdp.ts";
import { strict } from "../strict.ts";
import { schemeOf, toApp, toBrowser } from "./addresses.ts";
import type { ChromiumPage } from "./chromium-page.ts";
import { handlerOf } from "./protocol.ts";

export type NavigationListener = {
	/** Whether the page may go where it wants to, or is led by a redirect. */
	mayGo(address: string, isRedirect: boolean): boolean;
	/** Called before a document of an origin, as Chromium has it, is loaded. */
	begins(address: string, browserOrigin: string): Promise<void>;
};

export type Navigation = {
	/** The next request for this address is the app's own, which nobody is asked about. */
	expect(address: string): void;
	follow(page: ChromiumPage): void;
};

/** Lets the requests of a page through: to the app's handlers of schemes, to the network, or nowhere. */
export function createNavigation(listener: NavigationListener): Navigation {
	let expected = "";

	async function letThrough(page: ChromiumPage, request: CdpValue): Promise<void> {
		const { requestId, redirectedRequestId, resourceType, frameId } = request;
		const { url, method } = request.request;
		const address = toApp(url);
		if (resourceType === "Document" && frameId === page.frame) {
			const isRedirect = redirectedRequestId !== undefined;
			const isOwn = url === expected && !isRedirect;
			expected = "";
			if (!isOwn && !listener.mayGo(address, isRedirect)) {
				await page.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
				return;
			}
			await listener.begins(address, new URL(url).origin);
		}
		const handler = handlerOf(schemeOf(address));
		if (handler === undefined) {
			await page.send("Fetch.continueRequest", { requestId });
			return;
		}
		const response = await handler(appRequest(address, method));
		await page.send("Fetch.fulfillRequest", {
			requestId,
			responseCode: response.status,
			responseHeaders: [...response.headers].map(([name, value]) => ({ name, value: toBrowser(value) })),
			body: Buffer.from(await response.arrayBuffer()).toString("base64"),
		});
	}

	return {
		expect(address) {
			expected = toBrowser(address).replace(/#.*$/s, "");
		},
		follow(page) {
			page.events.on("Fetch.requestPaused", (request: CdpValue) => {
				letThrough(page, request).catch((error: Error) => {
					// A page that goes in the middle of a request is no fault; anything else is.
					if (!/Invalid InterceptionId|browser has gone|Session with given id/.test(error.message))
						throw error;
				});
			});
		},
	};
}

/** What handlers of a scheme read; `Request` itself takes no address of such a scheme in Node. */
function appRequest(url: string, method: string): GlobalRequest {
	return strict("the request of a scheme", { url, method }) as unknown as GlobalRequest;
}

import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** What a request may have: a page or a socket, a first visit that gets its cookie, or nothing. */
export type Access =
	| { readonly kind: "allowed" }
	/** The token was right: answer with the cookie and without the token in the address. */
	| { readonly kind: "first-visit"; readonly cookie: string }
	| { readonly kind: "refused" };

const COOKIE = "outlive";

/**
 * Decides who may use the web view. The token in the printed address is good for one visit; the cookie it is turned
 * into never leaves this site (`SameSite=Strict`) and can't be read by scripts.
 *
 * @param port of 127.0.0.1; a `Host` or `Origin` that names anything else is refused
 */
export function createAccess(port: () => number) {
	let token: string | undefined = randomBytes(24).toString("base64url");
	const secret = randomBytes(24).toString("base64url");

	function isOwnHost(host: string | undefined): boolean {
		return host === `127.0.0.1:${port()}` || host === `localhost:${port()}`;
	}

	return {
		/** The path that the printed address ends with. */
		firstPath: () => `/?token=${token}`,

		judge(request: IncomingMessage): Access {
			const { host, origin, cookie } = request.headers;
			if (!isOwnHost(host)) return { kind: "refused" };
			if (origin !== undefined && origin !== `http://${host}`) return { kind: "refused" };
			if (same(cookieOf(cookie), secret)) return { kind: "allowed" };
			const given = new URL(request.url ?? "/", "http://localhost").searchParams.get("token") ?? undefined;
			if (token === undefined || !same(given, token)) return { kind: "refused" };
			token = undefined;
			return { kind: "first-visit", cookie: `${COOKIE}=${secret}; Path=/; HttpOnly; SameSite=Strict` };
		},
	};
}

function cookieOf(header: string | undefined): string | undefined {
	for (const part of header?.split(";") ?? []) {
		const [name, value] = part.trim().split("=");
		if (name === COOKIE) return value;
	}
	return undefined;
}

function same(given: string | undefined, wanted: string): boolean {
	if (given === undefined) return false;
	const [left, right] = [Buffer.from(given), Buffer.from(wanted)];
	return left.length === right.length && timingSafeEqual(left, right);
}

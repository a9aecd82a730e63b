const DOMAIN = "stand-in.test";

/** Schemes of the app's own, which Chromium can't be told about. */
const schemes = new Set<string>();

export function addScheme(scheme: string): void {
	schemes.add(scheme);
}

/** The address that Chromium gets for one of the app: `app://outlive/x` is `https://outlive.app.stand-in.test/x`. */
export function toBrowser(address: string): string {
	const [, scheme, host, rest] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(address) ?? [];
	if (scheme === undefined || !schemes.has(scheme)) return address;
	return `https://${host}.${scheme}.${DOMAIN}${rest}`;
}

/** And back. */
export function toApp(address: string): string {
	const [, host, scheme, rest] =
		/^https:\/\/([^/?#]*)\.([a-z0-9+-]+)\.stand-in\.test(.*)$/is.exec(address) ?? [];
	return scheme !== undefined && schemes.has(scheme) ? `${scheme}://${host}${rest}` : address;
}

export function schemeOf(address: string): string {
	return /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase() ?? "";
}

/** `app://outlive` of an address; "null" where there is none. */
export function originOf(address: string): string {
	return /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)/i.exec(address)?.[1] ?? "null";
}

/** The session that the window shows, by the address of its page (see the window's routes); undefined for none. */
export function shownSession(url: string): string | undefined {
	const [, encoded] = /#\/session\/(.+)$/.exec(url) ?? [];
	if (encoded === undefined) return undefined;
	try {
		return decodeURIComponent(encoded);
	} catch {
		// Not an address that the window makes.
		return undefined;
	}
}

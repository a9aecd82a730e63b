import { fileURLToPath } from "node:url";

/** What the app was started or called with asks for. */
export type AppRequests = { readonly session: string | undefined; readonly folders: readonly string[] };

/** The link's session: `outlive://session/<id>`; undefined for any other link. */
export function sessionOfLink(link: string): string | undefined {
	const [, encoded] = /^outlive:\/\/session\/([^/?#]+)\/?$/i.exec(link) ?? [];
	if (encoded === undefined) return undefined;
	try {
		return decodeURIComponent(encoded);
	} catch {
		// A link someone wrote by hand.
		return undefined;
	}
}

/**
 * The link and the folders among the arguments of a process. A desktop entry hands both over as addresses; plain words
 * are the binary's own options, and the app's folder in a checkout.
 */
export function requestsOf(args: readonly string[]): AppRequests {
	return {
		session: args.map(sessionOfLink).findLast((session) => session !== undefined),
		folders: args.filter((each) => /^file:\/\/\//i.test(each)).flatMap(pathOf),
	};
}

function pathOf(url: string): string[] {
	try {
		return [fileURLToPath(url)];
	} catch {
		// Not the address of a file here.
		return [];
	}
}

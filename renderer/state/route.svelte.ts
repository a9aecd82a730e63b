/** What the main column shows. It is in the page's address, so that a reload and a link lead back to it. */
export type Route =
	| { readonly kind: "home" }
	| { readonly kind: "session"; readonly session: string; readonly at?: Landing }
	/** A session that its first message will make. */
	| { readonly kind: "new"; readonly directory: string };

/** A place in a transcript: an entry, and the words that someone looked for in it. */
export type Landing = { readonly entry: string; readonly words: readonly string[] };

export function routeOf(hash: string): Route {
	const [, kind, value = ""] = /^#\/(session|new)\/(.+)$/.exec(hash) ?? [];
	if (kind === "new") {
		const directory = decode(value);
		return directory === undefined ? { kind: "home" } : { kind: "new", directory };
	}
	const [session, entry, ...words] = value.split("/").map((part) => decode(part) ?? "");
	if (kind === undefined || session === undefined || session === "") return { kind: "home" };
	return entry === undefined
		? { kind: "session", session }
		: { kind: "session", session, at: { entry, words } };
}

export function hashOf(route: Route): string {
	switch (route.kind) {
		case "home":
			return "#/";
		case "session":
			return `#/session/${[
				route.session,
				...(route.at === undefined ? [] : [route.at.entry, ...route.at.words]),
			]
				.map(encodeURIComponent)
				.join("/")}`;
		case "new":
			return `#/new/${encodeURIComponent(route.directory)}`;
	}
}

function decode(text: string): string | undefined {
	try {
		return decodeURIComponent(text);
	} catch {
		// An address someone typed; it leads home.
		return undefined;
	}
}

/** The route as a store over the address. */
export function createRoute(page: Window) {
	let current = $state.raw(routeOf(page.location.hash));
	page.addEventListener("hashchange", () => {
		// What `go` has set is known already.
		if (hashOf(current) !== page.location.hash) current = routeOf(page.location.hash);
	});
	return {
		get current() {
			return current;
		},
		go(route: Route): void {
			const hash = hashOf(route);
			if (hash !== page.location.hash) page.location.hash = hash;
			current = route;
		},
		/**
		 * Like `go`, but "back" doesn't come here again. Gives way to an address that was just entered, and that the page has
		 * not been told of yet.
		 */
		replace(route: Route): void {
			if (hashOf(routeOf(page.location.hash)) !== hashOf(current)) return;
			page.history.replaceState(null, "", hashOf(route));
			current = route;
		},
	};
}

export type RouteStore = ReturnType<typeof createRoute>;

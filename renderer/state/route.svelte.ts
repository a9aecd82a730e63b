/** What the main column shows. It is in the page's address, so that a reload and a link lead back to it. */
export type Route =
	| { readonly kind: "home" }
	| { readonly kind: "session"; readonly session: string }
	/** A session that its first message will make. */
	| { readonly kind: "new"; readonly directory: string };

export function routeOf(hash: string): Route {
	const [, kind, value] = /^#\/(session|new)\/(.+)$/.exec(hash) ?? [];
	if (kind === undefined || value === undefined) return { kind: "home" };
	const decoded = decode(value);
	if (decoded === undefined) return { kind: "home" };
	return kind === "session" ? { kind: "session", session: decoded } : { kind: "new", directory: decoded };
}

export function hashOf(route: Route): string {
	switch (route.kind) {
		case "home":
			return "#/";
		case "session":
			return `#/session/${encodeURIComponent(route.session)}`;
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
		current = routeOf(page.location.hash);
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
		/** Like `go`, but "back" doesn't come here again. */
		replace(route: Route): void {
			page.history.replaceState(null, "", hashOf(route));
			current = route;
		},
	};
}

export type RouteStore = ReturnType<typeof createRoute>;

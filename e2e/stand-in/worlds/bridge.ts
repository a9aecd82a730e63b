/**
 * One side of the bridge between a page and its preload, over events of their shared document, since the two worlds share
 * no object. Values are copied, functions are called through, promises settle on the other side; what is exposed can't
 * be changed. The page's side also has the document say whether its window is seen.
 *
 * @param side which world this is
 * @param secret a word that only the two sides know, so that the page can't speak to the preload by itself
 */
// biome-ignore lint/correctness/noUnusedVariables: sent to the browser as text.
function bridge(side: "page" | "preload", secret: string) {
	type Packed =
		| { kind: "function" | "promise"; id: string }
		| { kind: "error"; name: string; message: string }
		| { kind: "list"; items: Packed[] }
		| { kind: "object"; entries: [string, Packed][] }
		| { kind: "value"; value: unknown };
	type Message =
		| { op: "expose"; key: string; value: Packed }
		| { op: "visibility"; isVisible: boolean }
		| { op: "open"; url: string }
		| { op: "call"; id: string; values: Packed[] }
		| { op: "return"; id: string; value?: Packed; error?: Packed }
		| { op: "settle"; id: string; value?: Packed; error?: Packed };

	const other = side === "page" ? "preload" : "page";
	const functions = new Map<string, (...values: unknown[]) => unknown>();
	const ids = new WeakMap<object, string>();
	const pending = new Map<string, { resolve(value: unknown): void; reject(error: unknown): void }>();
	let lastId = 0;
	let returned: Extract<Message, { op: "return" }> | undefined;

	let isVisible = true;
	if (side === "page") {
		const document = Document.prototype;
		Object.defineProperty(document, "hidden", { get: () => !isVisible, configurable: true });
		const visibilityState = { get: () => (isVisible ? "visible" : "hidden"), configurable: true };
		Object.defineProperty(document, "visibilityState", visibilityState);
		Object.defineProperty(document, "hasFocus", { value: () => isVisible, configurable: true });
	}
	/** Told of what the page would open. */
	let onOpen = (_url: string) => {};

	const send = (detail: Message) => document.dispatchEvent(new CustomEvent(`${secret}:${side}`, { detail }));

	function pack(value: unknown): Packed {
		if (typeof value === "function") {
			const id = ids.get(value) ?? `${side}${++lastId}`;
			ids.set(value, id);
			functions.set(id, value as (...values: unknown[]) => unknown);
			return { kind: "function", id };
		}
		if (value instanceof Promise) {
			const id = `${side}${++lastId}`;
			value.then(
				(result) => send({ op: "settle", id, value: pack(result) }),
				(error) => send({ op: "settle", id, error: pack(error) }),
			);
			return { kind: "promise", id };
		}
		if (value instanceof Error) return { kind: "error", name: value.name, message: value.message };
		if (Array.isArray(value)) return { kind: "list", items: value.map(pack) };
		if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype)
			return { kind: "object", entries: Object.entries(value).map(([key, each]) => [key, pack(each)]) };
		// The event copies it, as structured clone does, or throws.
		return { kind: "value", value };
	}

	function unpack(packed: Packed): unknown {
		switch (packed.kind) {
			case "function":
				return (...values: unknown[]) => call(packed.id, values);
			case "promise":
				return new Promise((resolve, reject) => pending.set(packed.id, { resolve, reject }));
			case "error":
				return Object.assign(new Error(packed.message), { name: packed.name });
			case "list":
				return packed.items.map(unpack);
			case "object":
				return Object.freeze(Object.fromEntries(packed.entries.map(([key, each]) => [key, unpack(each)])));
			case "value":
				return packed.value;
		}
	}

	/** Events are dispatched at once, so the answer is there when `send` returns. */
	function call(id: string, values: unknown[]): unknown {
		returned = undefined;
		send({ op: "call", id, values: values.map(pack) });
		const answer = returned as { value?: Packed; error?: Packed } | undefined;
		returned = undefined;
		if (answer === undefined) throw new Error("The other world gave no answer.");
		if (answer.error) throw unpack(answer.error);
		return answer.value && unpack(answer.value);
	}

	// A popup is refused before there is one, as Electron does, and the script gets no window.
	if (side === "page")
		globalThis.open = (url = "about:blank") => {
			send({ op: "open", url: new URL(url, document.baseURI).href });
			return null;
		};

	document.addEventListener(`${secret}:${other}`, (event) => {
		const message = (event as CustomEvent<Message>).detail;
		if (message.op === "return") returned = message;
		else if (message.op === "open") onOpen(message.url);
		else if (message.op === "visibility") {
			if (isVisible === message.isVisible) return;
			isVisible = message.isVisible;
			document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
			globalThis.dispatchEvent(new Event(isVisible ? "focus" : "blur"));
		} else if (message.op === "expose")
			Object.defineProperty(globalThis, message.key, { value: unpack(message.value), enumerable: true });
		else if (message.op === "settle") {
			const waiter = pending.get(message.id);
			pending.delete(message.id);
			if (message.error) waiter?.reject(unpack(message.error));
			else waiter?.resolve(message.value && unpack(message.value));
		} else if (message.op === "call") answer(message);
	});

	function answer({ id, values }: Extract<Message, { op: "call" }>): void {
		try {
			const result = functions.get(id)!(...values.map(unpack));
			send({ op: "return", id, value: pack(result) });
		} catch (error) {
			send({ op: "return", id, error: pack(error instanceof Error ? error : new Error(String(error))) });
		}
	}

	return {
		expose: (key: string, api: unknown) => send({ op: "expose", key, value: pack(api) }),
		onOpen(listener: (url: string) => void) {
			onOpen = listener;
		},
		setVisible: (value: boolean) => send({ op: "visibility", isVisible: value }),
	};
}

/**
 * What a sandboxed preload finds: `require("electron")` with the renderer's side of messages and ports, and `process`.
 *
 * @param world the bridge to the page
 * @param info what the stand-in knows of this page: `binding` sends text to it, `deliver` is where it hands messages in
 */
// biome-ignore lint/correctness/noUnusedVariables: sent to the browser as text.
function preloadWorld(
	world: {
		expose(key: string, api: unknown): void;
		setVisible(isVisible: boolean): void;
		onOpen(listener: (url: string) => void): void;
	},
	info: { binding: string; deliver: string; process: Record<string, unknown> },
) {
	type Listener = (event: object, ...values: unknown[]) => void;
	type Delivered =
		| { op: "reply"; id: number; value?: unknown; error?: string }
		| { op: "port"; port: string; value: unknown }
		| { op: "port-closed"; port: string }
		| { op: "visibility"; isVisible: boolean }
		| { op: "message"; channel: string; values: unknown[]; ports: string[] };

	const globals = globalThis as unknown as Record<string, unknown>;
	const toMain = globals[info.binding] as (text: string) => void;
	delete globals[info.binding];
	const listeners = new Map<string, Listener[]>();
	const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
	const ports = new Map<string, MessagePort>();
	let lastId = 0;
	const post = (message: object) => toMain(JSON.stringify(message));
	const missing = (what: string) => () => {
		throw new Error(`The stand-in for Electron does not represent ${what}.`);
	};

	function strict<T extends object>(name: string, target: T): T {
		return new Proxy(target, {
			get(object, key) {
				if (typeof key === "string" && !(key in object) && key !== "then" && key !== "__esModule")
					missing(`${name}.${key}`)();
				return Reflect.get(object, key);
			},
		});
	}

	const ipcRenderer = strict("ipcRenderer", {
		on(channel: string, listener: Listener) {
			listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
			return ipcRenderer;
		},
		off(channel: string, listener: Listener) {
			const kept = (listeners.get(channel) ?? []).filter((each) => each !== listener);
			listeners.set(channel, kept);
			return ipcRenderer;
		},
		send: (channel: string, ...values: unknown[]) => post({ op: "send", channel, values }),
		invoke: (channel: string, ...values: unknown[]) =>
			new Promise((resolve, reject) => {
				waiting.set(++lastId, { resolve, reject });
				post({ op: "invoke", id: lastId, channel, values });
			}),
	});

	function deliver(message: Delivered): void {
		switch (message.op) {
			case "reply": {
				const waiter = waiting.get(message.id);
				waiting.delete(message.id);
				if (message.error === undefined) waiter?.resolve(message.value);
				else waiter?.reject(new Error(message.error));
				return;
			}
			case "port":
				ports.get(message.port)?.postMessage(message.value);
				return;
			case "port-closed":
				ports.get(message.port)?.close();
				ports.delete(message.port);
				return;
			case "visibility":
				world.setVisible(message.isVisible);
				return;
			case "message": {
				const event = { sender: ipcRenderer, ports: message.ports.map(openPort) };
				for (const listener of listeners.get(message.channel) ?? []) listener(event, ...message.values);
			}
		}
	}

	/** A real port for the page, whose other end is passed on to main. */
	function openPort(id: string): MessagePort {
		const { port1, port2 } = new MessageChannel();
		ports.set(id, port2);
		port2.onmessage = ({ data }) => post({ op: "port", port: id, value: data });
		port2.addEventListener("close", () => {
			ports.delete(id);
			post({ op: "port-closed", port: id });
		});
		return port1;
	}

	Object.defineProperty(globals, info.deliver, { value: deliver });
	world.onOpen((url) => post({ op: "open", url }));
	const electron = strict("electron in a preload", {
		ipcRenderer,
		contextBridge: strict("contextBridge", {
			exposeInMainWorld: (key: string, api: unknown) => world.expose(key, api),
		}),
		webUtils: strict("webUtils", { getPathForFile: missing("webUtils.getPathForFile") }),
	});
	return {
		require(id: string) {
			if (id === "electron" || id === "electron/renderer") return electron;
			// As a sandboxed preload is told.
			throw new Error(`module not found: ${id}`);
		},
		process: { ...info.process, type: "renderer", sandboxed: true, contextIsolated: true },
	};
}

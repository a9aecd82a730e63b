import type { MessageChannelMain as RealChannel, MessagePortMain as RealPort } from "electron";
import { NotRepresented, StrictEmitter, strict, strictClass } from "../strict.ts";
import { plain } from "./plain.ts";

/** The end of a channel that a page holds. */
export type PageEnd = { deliver(value: unknown): void; closed(): void };

const ports = new WeakMap<object, StandInPort>();

class StandInPort extends StrictEmitter implements Pick<RealPort, "postMessage" | "start" | "close"> {
	/** Set once, when the channel is made. */
	#peer!: StandInPort;
	#page: PageEnd | undefined;
	#held: unknown[] = [];
	#isStarted = false;
	#isClosed = false;

	constructor() {
		super("MessagePortMain", ["message", "close"]);
	}

	static entangle(one: StandInPort, other: StandInPort): void {
		one.#peer = other;
		other.#peer = one;
	}

	/** The port now belongs to a page; what was sent to it goes there. */
	static move(port: StandInPort, page: PageEnd): void {
		port.#page = page;
		for (const value of port.#held.splice(0)) page.deliver(value);
	}

	/** The page that holds the port says something, or has closed it. */
	static fromPage(port: StandInPort, value: unknown): void {
		port.#peer.#receive(value);
	}

	static closedByPage(port: StandInPort): void {
		port.#page = undefined;
		port.#close();
	}

	postMessage(value: unknown, transfer: RealPort[] = []) {
		if (transfer.length > 0) throw new NotRepresented("a port sent through a port");
		this.#peer.#receive(plain(value, "a message of a port"));
	}

	start() {
		this.#isStarted = true;
		for (const value of this.#held.splice(0)) this.emit("message", { data: value, ports: [] });
	}

	close() {
		this.#close();
	}

	#receive(value: unknown): void {
		if (this.#isClosed) return;
		if (this.#page !== undefined) this.#page.deliver(value);
		else if (this.#isStarted) this.emit("message", { data: value, ports: [] });
		else this.#held.push(value);
	}

	/** Both ends learn of it, each once. */
	#close(): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#page?.closed();
		this.emit("close");
		this.#peer.#close();
	}
}

class StandInChannel implements Pick<RealChannel, "port1" | "port2"> {
	readonly port1: RealPort;
	readonly port2: RealPort;

	constructor() {
		const [one, other] = [new StandInPort(), new StandInPort()];
		StandInPort.entangle(one, other);
		this.port1 = outside(one);
		this.port2 = outside(other);
	}
}

/** The port as the app has it. */
function outside(port: StandInPort): RealPort {
	const shown = strict("MessagePortMain", port);
	ports.set(shown, port);
	return shown as unknown as RealPort;
}

/** Gives the port to a page. */
export function movePort(port: RealPort, page: PageEnd): { receive(value: unknown): void; closed(): void } {
	const inner = ports.get(port);
	if (inner === undefined) throw new Error("Only a port of a MessageChannelMain can be transferred.");
	StandInPort.move(inner, page);
	return {
		receive: (value) => StandInPort.fromPage(inner, value),
		closed: () => StandInPort.closedByPage(inner),
	};
}

export const MessageChannelMain = strictClass("MessageChannelMain", StandInChannel);

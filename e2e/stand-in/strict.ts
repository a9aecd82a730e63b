import { EventEmitter } from "node:events";

/** Names that the language and Node ask any object for. */
const ASKED_OF_ALL = new Set([
	"then",
	"toJSON",
	"constructor",
	"prototype",
	"__esModule",
	"inspect",
	"nodeType",
]);

/** What the stand-in has no answer for; the test that met it would prove nothing. */
export class NotRepresented extends Error {
	override readonly name = "NotRepresented";

	constructor(what: string) {
		super(
			`The stand-in for Electron does not represent ${what}. Add it there, or run with OUTLIVE_ELECTRON.`,
		);
	}
}

/**
 * The object, but a property that it lacks throws and says its name. Methods stay bound to the object itself, whose
 * private fields a proxy can't reach.
 */
export function strict<T extends object>(name: string, target: T): T {
	return new Proxy(target, {
		get(object, key) {
			if (typeof key === "string" && !(key in object) && !ASKED_OF_ALL.has(key))
				throw new NotRepresented(`${name}.${key}`);
			const value: unknown = Reflect.get(object, key, object);
			return typeof value === "function" && !isClass(value) ? value.bind(object) : value;
		},
		set: (object, key, value) => Reflect.set(object, key, value, object),
	});
}

/** A class whose statics and instances are strict. */
export function strictClass<T extends abstract new (...args: never[]) => object>(name: string, made: T): T {
	return new Proxy(made, {
		get(object, key) {
			if (typeof key === "string" && !(key in object) && !ASKED_OF_ALL.has(key))
				throw new NotRepresented(`${name}.${key}`);
			return Reflect.get(object, key, object);
		},
	});
}

/** An emitter that takes listeners for the events it can emit, and throws for any other. */
export class StrictEmitter extends EventEmitter {
	readonly #owner: string;
	readonly #events: ReadonlySet<string>;

	constructor(owner: string, events: readonly string[]) {
		super();
		this.#owner = owner;
		this.#events = new Set(events);
		// Node's own `once` and `addListener` call these by name, so checking is done when a listener is there.
		super.on("newListener", (event: string | symbol) => this.#check(event));
	}

	#check(event: string | symbol): void {
		if (typeof event !== "string" || event === "newListener" || this.#events.has(event)) return;
		throw new NotRepresented(`the event "${event}" of ${this.#owner}`);
	}
}

/** Throws unless every option is one that the stand-in knows what to do with. */
export function checkOptions(owner: string, options: object, known: readonly string[]): void {
	const unknown = Object.keys(options).find((key) => !known.includes(key));
	if (unknown !== undefined) throw new NotRepresented(`the option "${unknown}" of ${owner}`);
}

function isClass(value: object): boolean {
	return /^class\b/.test(Function.prototype.toString.call(value));
}

/** An event whose default can be prevented, as Electron's are. */
export function cancellable<T extends object>(
	fields: T,
): T & { defaultPrevented: boolean; preventDefault(): void } {
	return {
		...fields,
		defaultPrevented: false,
		preventDefault() {
			this.defaultPrevented = true;
		},
	};
}

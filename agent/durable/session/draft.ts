import type { JsonObject } from "../types/json.ts";
import { copyStrictJson, setOwn } from "./strict-json.ts";

type Container = { [key: string]: unknown } | unknown[];

/** One object or list as a draft sees it. `base` is never changed; `copy` is made by the first change below it. */
type Node = {
	readonly base: Container;
	readonly parent: Node | undefined;
	readonly root: { revoked: boolean };
	/** Holds the drafts of its own children where those were looked at. */
	copy: Container | undefined;
	changed: boolean;
};

/** What a draft's proxy is made of. It only tells lists from objects: what is read and written is the node's. */
type Target = { readonly node: Node };

/** The nodes behind drafts. */
const nodes = new WeakMap<object, Node>();

/** List methods that move what is there. They work on the list itself, so that a draft of an item moves along. */
const MOVERS = new Set<PropertyKey>(["splice", "shift", "unshift", "push", "pop", "reverse", "sort"]);

/**
 * A mutable picture of an immutable JSON object. What is assigned is copied at once and must be strict JSON (a
 * `TypeError` names the place; the draft stays as it was); `undefined` deletes a property. A draft, also of another
 * document, is assigned as the value it has at that moment.
 */
export function createDraft(base: JsonObject): {
	readonly draft: JsonObject;
	/** Ends all access and returns the new value, which shares with `base` what didn't change. */
	finish(): JsonObject;
} {
	const root = { revoked: false };
	const node: Node = { base, parent: undefined, root, copy: undefined, changed: false };
	return {
		draft: proxyOf(node) as JsonObject,
		finish() {
			root.revoked = true;
			return currentValue(node) as JsonObject;
		},
	};
}

function proxyOf(node: Node): object {
	const isList = Array.isArray(node.base);
	const proxy = new Proxy<Target>(isList ? Object.assign([], { node }) : { node }, isList ? LIST : OBJECT);
	nodes.set(proxy, node);
	return proxy;
}

/** What a node's draft shows. Throws once its commit is over. */
function latest(node: Node): Container {
	if (node.root.revoked) throw new TypeError("The commit is over: this draft can't be used any more.");
	return node.copy ?? node.base;
}

function read(node: Node, key: PropertyKey): unknown {
	const container = latest(node);
	const value: unknown = Reflect.get(container, key);
	if (!isContainer(value) || !Object.hasOwn(container, key) || nodes.has(value)) return value;
	const child = childOf(node, value);
	setOwn(copyOf(node), key, child);
	return child;
}

function write(node: Node, key: PropertyKey, value: unknown): void {
	const container = latest(node);
	if (typeof key === "symbol") throw new TypeError("A document can't have a symbol as a key.");
	if (Array.isArray(container)) writeItem(node, container, String(key), value);
	else writeProperty(node, container, String(key), value);
}

function writeProperty(node: Node, container: object, key: string, value: unknown): void {
	const isThere = Object.hasOwn(container, key);
	if (value === undefined) {
		if (isThere) remove(node, key);
		return;
	}
	if (isThere && Reflect.get(container, key) === value) return;
	const own = owned(value, key);
	setOwn(change(node), key, own);
}

function writeItem(node: Node, list: unknown[], key: string, value: unknown): void {
	if (key === "length") {
		if ((value as number) > list.length) throw new TypeError("A list in a document can't have holes.");
		(change(node) as unknown[]).length = value as number;
		return;
	}
	const index = Number(key);
	if (!Number.isInteger(index) || index < 0 || index > list.length)
		throw new TypeError(`A list in a document can't have an item at ${key}: it has ${list.length} items.`);
	if (index < list.length && list[index] === value) return;
	const own = owned(value, key);
	(change(node) as unknown[])[index] = own;
}

function remove(node: Node, key: PropertyKey): void {
	if (Array.isArray(node.base))
		throw new TypeError("A list in a document can't have holes; splice() the item out.");
	delete (change(node) as { [key: PropertyKey]: unknown })[key];
}

const OBJECT: ProxyHandler<Target> = {
	get({ node }, key) {
		// A commit whose callback returns a draft resolves with it, and resolving asks for `then`.
		return node.root.revoked && key === "then" ? undefined : read(node, key);
	},
	set({ node }, key, value) {
		write(node, key, value);
		return true;
	},
	deleteProperty({ node }, key) {
		if (Object.hasOwn(latest(node), key)) remove(node, key);
		return true;
	},
	defineProperty({ node }, key, descriptor) {
		if (!("value" in descriptor)) throw new TypeError(`A document can't have an accessor (${String(key)}).`);
		write(node, key, descriptor.value);
		return true;
	},
	has: ({ node }, key) => Reflect.has(latest(node), key),
	ownKeys: ({ node }) => Reflect.ownKeys(latest(node)),
	getOwnPropertyDescriptor({ node }, key) {
		if (!Object.hasOwn(latest(node), key)) return undefined;
		const isLength = key === "length" && Array.isArray(node.base);
		return { value: read(node, key), writable: true, enumerable: !isLength, configurable: !isLength };
	},
};

const LIST: ProxyHandler<Target> = {
	...OBJECT,
	get(target, key, draft) {
		if (!MOVERS.has(key)) return OBJECT.get!(target, key, draft);
		const { node } = target;
		return (...args: unknown[]) => {
			latest(node);
			return move(node, key as string, args, draft);
		};
	},
};

/** One of the `MOVERS`, on the list itself. Returns what it would return, in terms of drafts. */
function move(node: Node, method: string, args: readonly unknown[], draft: unknown): unknown {
	const placed = method === "splice" ? 2 : method === "push" || method === "unshift" ? 0 : args.length;
	const given = args.map((value, at) => (at < placed ? value : owned(value, method)));
	const list = change(node) as unknown[];
	if (method === "sort") draftItems(node, list);
	const result: unknown = Reflect.apply(Reflect.get(list, method), list, given);
	if (result === list) return draft;
	if (method === "splice") return (result as unknown[]).map((item) => asDraft(node, item));
	return asDraft(node, result);
}

/** A comparison must see drafts, not the committed values. */
function draftItems(node: Node, list: unknown[]): void {
	for (let i = 0; i < list.length; i++) list[i] = asDraft(node, list[i]);
}

function asDraft(parent: Node, value: unknown): unknown {
	return isContainer(value) && !nodes.has(value) ? childOf(parent, value) : value;
}

function childOf(parent: Node, base: Container): object {
	return proxyOf({ base, parent, root: parent.root, copy: undefined, changed: false });
}

function copyOf(node: Node): Container {
	node.copy ??= Array.isArray(node.base) ? node.base.slice() : { ...node.base };
	return node.copy;
}

/** The container to change; from here up to the root everything counts as changed. */
function change(node: Node): Container {
	for (let at: Node | undefined = node; at !== undefined && !at.changed; at = at.parent) at.changed = true;
	return copyOf(node);
}

/** What the node stands for now. Unchanged parts are the committed ones. */
function currentValue(node: Node): Container {
	if (!node.changed) return node.base;
	const copy = node.copy ?? node.base;
	if (Array.isArray(copy)) return copy.map(settled);
	const value: Container = {};
	for (const key of Object.keys(copy)) setOwn(value, key, settled(copy[key]));
	return value;
}

function settled(value: unknown): unknown {
	const node = isContainer(value) ? nodes.get(value) : undefined;
	return node === undefined ? value : currentValue(node);
}

/** A detached value for a place in the document. */
function owned(value: unknown, path: string): unknown {
	return copyStrictJson(value, path, (container) => {
		const node = nodes.get(container);
		if (node === undefined) return undefined;
		if (node.root.revoked) throw new TypeError(`${path} is the draft of a commit that is over.`);
		return currentValue(node);
	});
}

function isContainer(value: unknown): value is Container {
	return typeof value === "object" && value !== null;
}

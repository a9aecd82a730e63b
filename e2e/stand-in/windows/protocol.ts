import type { Protocol } from "electron";
import { app } from "../app.ts";
import { checkOptions, strict } from "../strict.ts";
import { addScheme } from "./addresses.ts";

type Handler = Parameters<Protocol["handle"]>[1];

const handlers = new Map<string, Handler>();

export function handlerOf(scheme: string): Handler | undefined {
	return handlers.get(scheme);
}

const represented: Pick<Protocol, "registerSchemesAsPrivileged" | "handle" | "isProtocolHandled"> = {
	registerSchemesAsPrivileged(list) {
		if (app.isReady())
			throw new Error("protocol.registerSchemesAsPrivileged should be called before app is ready");
		for (const { scheme, privileges = {} } of list) {
			// Under https every page has just these.
			checkOptions("a privileged scheme", privileges, ["standard", "secure", "supportFetchAPI"]);
			addScheme(scheme);
		}
	},
	handle(scheme, handler) {
		if (!app.isReady()) throw new Error("protocol.handle can only be called once app is ready");
		handlers.set(scheme, handler);
	},
	isProtocolHandled: (scheme) => handlers.has(scheme),
};

export const protocol = strict("protocol", represented);

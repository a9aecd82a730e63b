import { EventEmitter } from "node:events";
import type { IpcMain } from "electron";
import { strict } from "../strict.ts";

type Handler = Parameters<IpcMain["handle"]>[1];

const handlers = new Map<string, Handler>();

/** Channels are the events, so any name is one. */
class StandInIpcMain extends EventEmitter implements Pick<IpcMain, "handle" | "removeHandler"> {
	handle(channel: string, handler: Handler) {
		if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
		handlers.set(channel, handler);
	}

	removeHandler(channel: string) {
		handlers.delete(channel);
	}
}

export function handlerOfChannel(channel: string): Handler | undefined {
	return handlers.get(channel);
}

export const ipcMain = strict("ipcMain", new StandInIpcMain());

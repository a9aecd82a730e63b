import { type IpcMainEvent, type IpcMainInvokeEvent, ipcMain, type WebContents } from "electron";
import { isOwnPage } from "../windows/page-files.ts";

/** Listens for a message of one of the app's own pages; of any other it takes no notice. */
export function onPageMessage(channel: string, act: (page: WebContents, value: unknown) => void): void {
	ipcMain.on(channel, (event, value: unknown) => {
		if (isTrusted(event)) act(event.sender, value);
	});
}

/** Answers a request of one of the app's own pages; any other is refused. */
export function onPageRequest(
	channel: string,
	answer: (page: WebContents, value: unknown) => Promise<unknown>,
): void {
	ipcMain.handle(channel, (event, value: unknown) => {
		if (!isTrusted(event)) throw new Error("Only Outlive's own pages may ask for this.");
		return answer(event.sender, value);
	});
}

/** The main frame of an own page; a frame inside it, or one that has navigated away since, is none. */
function isTrusted({ senderFrame }: IpcMainEvent | IpcMainInvokeEvent): boolean {
	return senderFrame !== null && senderFrame.parent === null && isOwnPage(senderFrame.url);
}

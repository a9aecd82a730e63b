/** What the app gets as `electron` on the stand-in. A name that isn't here is missing at import, and by that name. */
import { app } from "./app.ts";
import { dialog, shell } from "./desktop/asks.ts";
import { Menu } from "./desktop/menu.ts";
import { nativeImage } from "./desktop/native-image.ts";
import { Notification } from "./desktop/notification.ts";
import { screen } from "./desktop/screen.ts";
import { Tray } from "./desktop/tray.ts";
import { ipcMain } from "./ipc/ipc-main.ts";
import { MessageChannelMain } from "./ipc/message-ports.ts";
import { session } from "./session.ts";
import { BrowserWindow } from "./windows/browser-window.ts";
import { protocol } from "./windows/protocol.ts";
import { webContents } from "./windows/web-contents.ts";

export {
	app,
	BrowserWindow,
	dialog,
	ipcMain,
	Menu,
	MessageChannelMain,
	Notification,
	nativeImage,
	protocol,
	screen,
	session,
	shell,
	Tray,
	webContents,
};

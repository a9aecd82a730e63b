import { app, type Session, shell, type WebContents } from "electron";
import { isOwnPage, mayOpenOutside } from "../windows/page-files.ts";

/** What every page of the app may not do, whatever gets into it. Once the app is ready, before the first window. */
export function guardPages(session: Session): void {
	session.setPermissionRequestHandler((_page, _permission, decide) => decide(false));
	session.setPermissionCheckHandler(() => false);
	session.setDevicePermissionHandler(() => false);
	app.on("web-contents-created", (_event, page) => guard(page));
}

/** Opens an https address in the browser; any other is refused. */
export function openOutside(url: string): void {
	if (mayOpenOutside(url)) void shell.openExternal(url);
}

function guard(page: WebContents): void {
	page.on("will-navigate", (event) => {
		if (isOwnPage(event.url)) return;
		event.preventDefault();
		openOutside(event.url);
	});
	page.on("will-redirect", (event) => {
		if (!isOwnPage(event.url)) event.preventDefault();
	});
	page.on("will-attach-webview", (event) => event.preventDefault());
	page.setWindowOpenHandler(({ url }) => {
		openOutside(url);
		return { action: "deny" };
	});
}

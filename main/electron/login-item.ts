import { app } from "electron";
import { homeOf } from "../../agent/platform/environment.ts";
import { autostartFile, setStartsAtLogin, startsAtLogin } from "../windows/desktop-entry.ts";
import { ownCommand } from "./own-command.ts";

/** Says that the app was started at login, so that no window opens. */
export const AT_LOGIN_ARGUMENT = "--at-login";

export function opensAtLogin(): boolean {
	if (process.platform === "darwin") return app.getLoginItemSettings().openAtLogin;
	return startsAtLogin(entry());
}

export function setOpensAtLogin(value: boolean): void {
	if (process.platform === "darwin") app.setLoginItemSettings({ openAtLogin: value });
	else setStartsAtLogin(entry(), value, [...ownCommand(), AT_LOGIN_ARGUMENT]);
}

export function wasStartedAtLogin(): boolean {
	if (process.platform === "darwin") return app.getLoginItemSettings().wasOpenedAtLogin;
	return process.argv.includes(AT_LOGIN_ARGUMENT);
}

const entry = () => autostartFile(process.env, homeOf(process.env));

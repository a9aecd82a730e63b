/**
 * Runs before the app's main script: `electron`, imported or required, from the app or from an inspector, is the
 * stand-in, and the process says of itself what Electron's main process does.
 */
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const STAND_IN = new URL("./electron.ts", import.meta.url).href;
const NAMES = new Set(["electron", "electron/main", "electron/common"]);

registerHooks({
	resolve(specifier, context, next) {
		if (!NAMES.has(specifier)) return next(specifier, context);
		return { url: STAND_IN, format: "module-typescript", shortCircuit: true };
	},
});

function define(object: object, key: string, value: unknown): void {
	Object.defineProperty(object, key, { value, enumerable: true, configurable: true });
}

define(process, "type", "browser");
define(process, "execPath", fileURLToPath(new URL("./bin/electron", import.meta.url)));
define(process.versions, "electron", "45.5.0");
define(process.versions, "chrome", "150.0.0.0");
// The app's own platform code can be run as on another system; what Node itself does stays as it is.
if (process.env.STAND_IN_PLATFORM) define(process, "platform", process.env.STAND_IN_PLATFORM);

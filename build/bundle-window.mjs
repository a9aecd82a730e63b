/** `npm run build:window`: the window as static files in out/window, made when its sources changed. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { builtWindow } from "./bundle/window.ts";

await builtWindow(dirname(dirname(fileURLToPath(import.meta.url))));

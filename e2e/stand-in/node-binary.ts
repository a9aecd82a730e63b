import { fileURLToPath } from "node:url";

/** What runs a script of the stand-in's own: `process.execPath` names the app's binary, as in Electron. */
export const NODE = fileURLToPath(new URL("../../node_modules/.bin/node", import.meta.url));

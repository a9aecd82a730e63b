import type { Display, Screen } from "electron";
import { strict } from "../strict.ts";

/** One screen with a bar at its top. */
const DISPLAY: Pick<Display, "id" | "bounds" | "workArea" | "scaleFactor"> = {
	id: 1,
	bounds: { x: 0, y: 0, width: 1440, height: 900 },
	workArea: { x: 0, y: 25, width: 1440, height: 875 },
	scaleFactor: 1,
};

const display = strict("Display", DISPLAY) as Display;

const represented: Pick<
	Screen,
	"getPrimaryDisplay" | "getAllDisplays" | "getDisplayNearestPoint" | "getCursorScreenPoint"
> = {
	getPrimaryDisplay: () => display,
	getAllDisplays: () => [display],
	getDisplayNearestPoint: () => display,
	getCursorScreenPoint: () => ({ x: 1210, y: 10 }),
};

export const screen = strict("screen", represented);

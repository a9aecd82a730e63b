import { startChromium } from "./chromium.ts";

/** The one browser of this app. */
export const chromium = startChromium();

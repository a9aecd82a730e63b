import { expect as playwrightExpect } from "playwright/test";

/** Playwright's assertions that wait. The limit is for a machine that does much else; it is no measure. */
export const expect = playwrightExpect.configure({ timeout: 20_000 });

import type { Row } from "./row.ts";
import { attach } from "./rows/attach.ts";
import { claudeCode } from "./rows/claude-code.ts";
import { coldStart } from "./rows/cold-start.ts";
import { command } from "./rows/command.ts";
import { commit } from "./rows/commit.ts";
import { idle } from "./rows/idle.ts";
import { library } from "./rows/library.ts";
import { memory } from "./rows/memory.ts";
import { perSession } from "./rows/per-session.ts";
import { recovery } from "./rows/recovery.ts";
import { streaming } from "./rows/streaming.ts";
import { window } from "./rows/window.ts";

/** Everything that is measured, in the order it is. */
export const ROWS: readonly Row[] = [
	commit,
	attach,
	library,
	memory,
	coldStart,
	recovery,
	streaming,
	idle,
	window,
	perSession,
	command,
	claudeCode,
];

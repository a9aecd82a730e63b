export { createBackgroundCommands } from "./background.ts";
export { type BashParameters, type BashToolOptions, bashTool, createBashTool } from "./bash.ts";
export { callOutputReader } from "./call-output.ts";
export type { BackgroundProcess, BashDetails } from "./details.ts";

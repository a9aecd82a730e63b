/** The version of the agent, of its command line and of the app: they are released together. */
export const VERSION = "0.1.0";

/** What a session may do without asking. */
export const SESSION_MODES = ["read_only", "ask_first", "run_freely"] as const;
export type SessionMode = (typeof SESSION_MODES)[number];

/** How much a model thinks before it answers, least first. */
export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** How a message that meets a running session waits: for the next step, or for the answer. */
export const QUEUE_MODES = ["steer", "followUp"] as const;
export type QueueMode = (typeof QUEUE_MODES)[number];

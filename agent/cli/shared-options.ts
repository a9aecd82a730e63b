/** What commands say of their options: the two kinds, and options that several commands take. */
export const FLAG = "flag" as const;
export const VALUE = "value" as const;
export const MODEL = {
	kind: VALUE,
	value: "P/M",
	summary: "the model that answers, as outlive models names it",
} as const;
export const REQUEST_ID = {
	kind: VALUE,
	value: "ID",
	summary: "an id of your own: however often the command runs with it, it is done once",
} as const;
export const WAIT = { kind: FLAG, summary: "wait for the answer and print it" } as const;
export const LATER = { comesWith: "a later version" } as const;
export const FOLLOW = { kind: FLAG, summary: "print what happens until the answer is there" } as const;

/** What a machine may have besides the scripted model. */
const FINDABLE = ["claude-code", "api", "local"] as const;

export type Findable = (typeof FINDABLE)[number];

/**
 * Who may be looked for: everyone, unless `OUTLIVE_LOOK_FOR` names some, separated by commas, or none. Tests set it, so
 * that what is installed on a machine, such as a Claude Code that is logged in, is never asked by them.
 */
export function lookFor(env: NodeJS.ProcessEnv): ReadonlySet<Findable> {
	const named = env.OUTLIVE_LOOK_FOR?.split(",");
	return new Set(FINDABLE.filter((each) => named === undefined || named.includes(each)));
}

import { usageReport } from "../views/usage-report.ts";
import type { HandlerDeps, Handlers } from "./handler.ts";

export function usageHandlers({ spending }: HandlerDeps): Pick<Handlers, "usage"> {
	return {
		usage: async ({ since, by }) => usageReport(await spending.report(since), by),
	};
}

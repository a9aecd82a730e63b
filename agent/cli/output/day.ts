import { wrongUsage } from "../cli-error.ts";

/** The first moment of a day such as `2026-03-31`, by this computer's clock, in ms since the epoch. Throws `wrong_usage`. */
export function startOfDay(text: string): number {
	const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
	const date = new Date(Number(year), Number(month) - 1, Number(day));
	const isReal = date.getMonth() === Number(month) - 1 && date.getDate() === Number(day);
	if (!isReal || date.getTime() < 0)
		throw wrongUsage(`--since takes a day such as 2026-03-31, not ${JSON.stringify(text)}.`);
	return date.getTime();
}

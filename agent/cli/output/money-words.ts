/** `$0.42`, `$0.004`, `$0`; `≈ $0.42 at API prices` for what a plan paid. */
export function moneyWords(dollars: number, estimated: boolean): string {
	const amount = dollars === 0 ? "$0" : `$${dollars < 0.01 ? dollars.toPrecision(1) : dollars.toFixed(2)}`;
	return estimated && dollars > 0 ? `≈ ${amount} at API prices` : amount;
}

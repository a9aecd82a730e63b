/**
 * A function that keeps its last result for as long as its arguments are the very same, so that what is composed from
 * unchanged parts is itself unchanged.
 */
export function lastResult<A extends readonly unknown[], R>(compute: (...args: A) => R): (...args: A) => R {
	let last: { readonly args: A; readonly result: R } | undefined;
	return (...args) => {
		if (last === undefined || args.some((arg, index) => arg !== last?.args[index]))
			last = { args, result: compute(...args) };
		return last.result;
	};
}

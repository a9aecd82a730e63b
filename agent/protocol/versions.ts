/**
 * Whether one release is older than another, by their numbers: `0.9.2` is older than `0.10.0`. What follows the numbers
 * doesn't count; false where either isn't a release.
 */
export function isOlder(version: string, than: string): boolean {
	const [one, other] = [numbersOf(version), numbersOf(than)];
	if (one === undefined || other === undefined) return false;
	const first = one.findIndex((part, place) => part !== other[place]);
	return first !== -1 && one[first]! < other[first]!;
}

function numbersOf(version: string): readonly number[] | undefined {
	const found = /^(\d+)\.(\d+)\.(\d+)/.exec(version);
	return found?.slice(1).map(Number);
}

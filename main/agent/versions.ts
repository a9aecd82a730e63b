/** Whether one version (`major.minor.patch`) is older than another; false where either isn't one. */
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

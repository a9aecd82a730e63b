import type { ProviderInfo } from "../../agent/protocol/index.ts";

/** The providers that a key can be entered for: those without one first, each as `models.setKey` takes it. */
export function keyTakers(providers: readonly ProviderInfo[]): readonly { id: string; name: string }[] {
	const without = providers.flatMap((each) => (each.available ? [] : (each.takeKeys ?? [])));
	const others = providers.flatMap((each) =>
		each.available && each.takesKey === true ? [{ id: each.id, name: each.name }] : [],
	);
	return [...without, ...others];
}

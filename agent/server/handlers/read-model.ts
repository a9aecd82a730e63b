import type { ModelRef } from "../../durable/index.ts";

/** `provider/model`, the form already checked; a model's own id may hold slashes. */
export function readModel(name: string): ModelRef {
	const slash = name.indexOf("/");
	return { provider: name.slice(0, slash), modelId: name.slice(slash + 1) };
}

import { protocolError } from "../../protocol/index.ts";
import { modelList } from "../views/model-list.ts";
import type { HandlerDeps, Handlers } from "./handler.ts";

export function modelHandlers({ catalog }: HandlerDeps): Pick<Handlers, "models.list" | "models.setKey"> {
	return {
		"models.list": async () => modelList(await catalog.list(), catalog.defaultModel()),
		async "models.setKey"({ provider, key }) {
			const stored = await catalog.setKey(provider, key);
			if (stored !== undefined) return { provider, stored };
			throw protocolError(
				"not_found",
				`There is no provider ${JSON.stringify(provider)} that takes a key; see the ids that models.list gives, or the provider's own name in small letters, such as "anthropic".`,
			);
		},
	};
}

import { protocolError } from "../../protocol/index.ts";
import { modelList } from "../views/model-list.ts";
import type { HandlerDeps, Handlers } from "./handler.ts";

export function modelHandlers({
	catalog,
	sessions,
	files,
}: HandlerDeps): Pick<Handlers, "models.list" | "models.setKey"> {
	return {
		"models.list": async ({ directory }) => {
			const folder = directory === undefined ? undefined : files.resolve(directory);
			const remembered = folder === undefined ? undefined : await sessions.rememberedModel(folder);
			const list = await catalog.list();
			return modelList(list, catalog.defaultModel(remembered));
		},
		async "models.setKey"({ provider, key, file = false }) {
			const stored = await catalog.setKey(provider, key, file);
			if (stored !== undefined) return { provider, stored };
			throw protocolError(
				"not_found",
				`There is no provider ${JSON.stringify(provider)} that takes a key; see the ids that models.list gives, or the provider's own name in small letters, such as "anthropic".`,
			);
		},
	};
}

import { modelList } from "../views/model-list.ts";
import type { HandlerDeps, Handlers } from "./handler.ts";

export function modelHandlers({ catalog }: HandlerDeps): Pick<Handlers, "models.list"> {
	return {
		"models.list": async () => modelList(await catalog.list(), catalog.defaultModel()),
	};
}

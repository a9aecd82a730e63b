import { protocolError } from "../../protocol/index.ts";
import type { Handlers } from "./handler.ts";

export const watchHandlers: Pick<Handlers, "unwatch"> = {
	unwatch: ({ watch }, peer) => {
		if (!peer.unwatch(watch))
			throw protocolError("not_found", "This connection has no such watch; it may have ended already.");
		return { watch };
	},
};

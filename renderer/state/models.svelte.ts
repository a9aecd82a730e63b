import type { ModelInfo, ModelList, ReconnectingClient } from "../../agent/protocol/index.ts";

const ASK_AGAIN_MS = 1500;

/** Who can answer, and why the others can't. Asked for when the window connects, and again when someone looks. */
export function createModels(client: ReconnectingClient) {
	let list = $state.raw<ModelList | undefined>();
	let isLoading = $state(false);
	let timer: ReturnType<typeof setTimeout> | undefined;

	async function refresh(): Promise<void> {
		clearTimeout(timer);
		isLoading = true;
		try {
			const next = await client.request("models.list", {});
			list = next;
			// A slow provider is still being asked.
			if (next.refreshing) timer = setTimeout(refresh, ASK_AGAIN_MS);
		} catch {
			// Without a connection the window says so; the next one asks again.
		} finally {
			isLoading = false;
		}
	}

	client.onState(({ kind }) => {
		if (kind === "connected") void refresh();
	});

	return {
		get list() {
			return list;
		},
		get isLoading() {
			return isLoading;
		},
		refresh,
		find(id: string | null | undefined): ModelInfo | undefined {
			return list?.models.find((model) => model.id === id);
		},
	};
}

export type Models = ReturnType<typeof createModels>;

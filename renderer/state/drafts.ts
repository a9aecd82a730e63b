/** What was typed and not sent, by session. It survives everything but clearing the browser's data. */
export type Draft = { readonly text: string; readonly images: readonly DraftImage[] };

export type DraftImage = {
	readonly data: string;
	readonly mimeType: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
};

export const EMPTY_DRAFT: Draft = { text: "", images: [] };

const PREFIX = "outlive.draft.";

export function createDrafts(storage: Storage) {
	return {
		read(key: string): Draft {
			const stored = storage.getItem(PREFIX + key);
			return stored === null ? EMPTY_DRAFT : parse(stored);
		},
		/** @returns whether all of it was kept; images may be more than a browser stores, the text then is kept alone */
		write(key: string, draft: Draft): boolean {
			if (draft.text === "" && draft.images.length === 0) {
				storage.removeItem(PREFIX + key);
				return true;
			}
			try {
				storage.setItem(PREFIX + key, JSON.stringify(draft));
				return true;
			} catch {
				// More than the browser gives a page: the words are what can't be had again.
				storage.setItem(PREFIX + key, JSON.stringify({ text: draft.text, images: [] }));
				return draft.images.length === 0;
			}
		},
	};
}

export type Drafts = ReturnType<typeof createDrafts>;

function parse(stored: string): Draft {
	try {
		const { text, images } = JSON.parse(stored) as Partial<Draft>;
		return { text: typeof text === "string" ? text : "", images: Array.isArray(images) ? images : [] };
	} catch {
		// Not written by this window; there is nothing to bring back.
		return EMPTY_DRAFT;
	}
}

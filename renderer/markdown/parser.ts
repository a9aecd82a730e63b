import MarkdownIt, { type Env, type Token } from "markdown-it";

/**
 * CommonMark with tables and strikethrough. HTML in a text stays text. An address that isn't https makes no link: its
 * Markdown is shown as it was written. An image becomes a link to it.
 */
export const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, breaks: false });

markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = isHttps;

const ALIGNED: Readonly<Record<string, string>> = {
	"text-align:left": "align-left",
	"text-align:center": "align-center",
	"text-align:right": "align-right",
};

// Styles in attributes are refused by the page's CSP.
for (const name of ["th_open", "td_open"] as const)
	markdown.renderer.rules[name] = (tokens, index, options, _env, self) => {
		const token = tokens[index]!;
		const aligned = ALIGNED[String(token.attrGet("style"))];
		if (token.attrs !== null) token.attrs = aligned === undefined ? [] : [["class", aligned]];
		return self.renderToken(tokens, index, options);
	};

markdown.renderer.rules.image = (tokens, index) => {
	const token = tokens[index]!;
	const text = markdown.utils.escapeHtml(token.content === "" ? "image" : token.content);
	return `<a href="${markdown.utils.escapeHtml(String(token.attrGet("src") ?? ""))}">${text}</a>`;
};

/** Whether an address may become a link; entities and escapes are already resolved. */
export function isHttps(address: string): boolean {
	if (!/^https:\/\//i.test(address.trim())) return false;
	try {
		return new URL(address).protocol === "https:";
	} catch {
		return false;
	}
}

/** The blocks of a text with their lines, without looking into them; the references it defines go into `env`. */
export function parseBlocks(text: string, env: Env): Token[] {
	const tokens: Token[] = [];
	markdown.block.parse(text, markdown, env, tokens);
	return tokens;
}

import createDOMPurify, { type Config } from "dompurify";
import type { Block } from "./blocks.ts";
import { isHttps, markdown } from "./parser.ts";

/** What Markdown makes, and nothing else. No `style`, no `id`, no `src`. */
const ALLOWED: Config = {
	ALLOWED_TAGS: [
		...["p", "br", "hr", "em", "strong", "s", "code", "pre", "a", "blockquote"],
		...["ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6"],
		...["table", "thead", "tbody", "tr", "th", "td"],
	],
	ALLOWED_ATTR: ["href", "title", "class", "start"],
	ALLOW_DATA_ATTR: false,
	ALLOW_ARIA_ATTR: false,
	ALLOWED_URI_REGEXP: /^https:\/\//i,
	RETURN_DOM_FRAGMENT: true,
};

const purify = createDOMPurify(window);

purify.addHook("afterSanitizeAttributes", (node) => {
	if (node.localName === "a") secureLink(node);
	if (node.hasAttribute("class") && !/^(language-[\w+#-]+|align-(left|center|right))$/.test(node.className))
		node.removeAttribute("class");
});

function secureLink(link: Element): void {
	const address = link.getAttribute("href");
	if (address === null || !isHttps(address)) {
		link.removeAttribute("href");
		return;
	}
	link.setAttribute("target", "_blank");
	link.setAttribute("rel", "noopener noreferrer");
	if (!link.hasAttribute("title")) link.setAttribute("title", address);
}

/** A block of prose as elements that are safe to put into the page. */
export function renderProse(block: Block): DocumentFragment {
	const html = markdown.render(block.source, block.references);
	const fragment = purify.sanitize(html, ALLOWED) as unknown as DocumentFragment;
	for (const table of fragment.querySelectorAll("table")) makeScrollable(table);
	return fragment;
}

/** A wide table scrolls by itself, also by keyboard. */
function makeScrollable(table: Element): void {
	const frame = document.createElement("div");
	frame.className = "table";
	frame.tabIndex = 0;
	frame.setAttribute("role", "group");
	frame.setAttribute("aria-label", "Table");
	table.replaceWith(frame);
	frame.append(table);
}

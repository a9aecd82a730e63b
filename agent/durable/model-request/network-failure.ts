/** What SDKs, Node and Claude Code say when no answer came: no name, no way, refused, cut off, silence. */
const WITHOUT_ANSWER = new RegExp(
	[
		"getaddrinfo",
		"(?<![a-z0-9_])(?:ENOTFOUND|EAI_AGAIN|EAI_FAIL|EAI_NONAME|ENODATA)(?![a-z0-9_])",
		"(?<![a-z0-9_])(?:ENETUNREACH|EHOSTUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL|ENONET)(?![a-z0-9_])",
		"(?<![a-z0-9_])(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|EPIPE)(?![a-z0-9_])",
		"connection ?(?:error|refused|lost|reset|closed|dropped)",
		"FailedToOpenSocket",
		"unable to connect",
		"fetch failed",
		"socket hang up",
		"socket connection was closed",
		"other side closed",
		"network ?(?:error|is unreachable|is down)",
		"(?:request|connect\\w*) timed? ?out",
		"nothing came from",
		"^terminated$",
	].join("|"),
	"i",
);

/** A status of HTTP: somebody did answer. The number of a port isn't one. */
const STATUS = /(?<![\w.:-])[45]\d\d(?![\w.-])/;

/**
 * Whether a failure's text tells that no answer came from a machine that the network leads to.
 *
 * @param baseUrl where the request went; empty when only the provider knows
 */
export function isNetworkFailure(errorMessage: string, baseUrl: string): boolean {
	return WITHOUT_ANSWER.test(errorMessage) && !STATUS.test(errorMessage) && !isThisMachine(baseUrl);
}

/** Whether the request went to a server on this machine, which no network leads to. */
export function isThisMachine(baseUrl: string): boolean {
	if (!URL.canParse(baseUrl)) return false;
	return /^(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(new URL(baseUrl).hostname);
}

import type { AssistantMessage, JsonObject, JsonValue, Message, Tool, ToolCall } from "@earendil-works/pi-ai";
import type { ParameterShape, ToolShape, ToolShapes } from "./tool-shapes.ts";

/**
 * A call as the log has it: by our own name and parameters. `sent` is how the model called it where that differs, from
 * which what it really sent is made again, word for word.
 */
export type LoggedCall = ToolCall & { readonly sent?: ToolShape };

type JsonRecord = Readonly<Record<string, unknown>>;

/** Tools as a model of some family knows them. */
export type ToolNames = {
	/** The transcript with its tools, calls and results under the family's names. */
	outgoing(messages: readonly Message[]): Message[];
	/** What the model said, with its calls under our names and the sent form beside them. */
	incoming(message: AssistantMessage): AssistantMessage;
};

/**
 * @param offered the tools of the request, by our names; one whose family name another of them has keeps its own
 */
export function toolNames(shapes: ToolShapes, offered: readonly { readonly name: string }[]): ToolNames {
	const taken = new Set(offered.map(({ name }) => name));
	const known = new Map(Object.entries(shapes).filter(([own, { name }]) => name === own || !taken.has(name)));
	const byTheirs = new Map([...known].map(([own, shape]) => [shape.name, { own, shape }]));

	const nameOf = (own: string) => known.get(own)?.name ?? own;

	function sentCall(call: LoggedCall): ToolCall {
		const { sent, ...plain } = call;
		const shape = known.get(call.name);
		if (shape === undefined) return plain;
		const used = sent?.name === shape.name ? sent : shape;
		return { ...plain, name: shape.name, arguments: theirArguments(used, call.arguments) };
	}

	function ownCall(call: ToolCall): LoggedCall {
		const found = byTheirs.get(call.name);
		if (found === undefined || !taken.has(found.own)) return call;
		const used = usedShape(found.shape, call.arguments);
		if (found.own === call.name && used.parameters === undefined) return call;
		return { ...call, name: found.own, arguments: ourArguments(used, call.arguments), sent: used };
	}

	return {
		outgoing: (messages) =>
			messages.map((message): Message => {
				switch (message.role) {
					case "system":
						return {
							...message,
							...(message.toolsAdded === undefined
								? {}
								: { toolsAdded: message.toolsAdded.map((tool) => theirTool(known.get(tool.name), tool)) }),
							...(message.toolsRemoved === undefined
								? {}
								: { toolsRemoved: message.toolsRemoved.map(({ name }) => ({ name: nameOf(name) })) }),
						};
					case "assistant":
						return withCalls(message, sentCall);
					case "toolResult":
						return { ...message, toolName: nameOf(message.toolName) };
					default:
						return message;
				}
			}),
		incoming: (message) => withCalls(message, ownCall),
	};
}

/** The message with each of its calls changed; the same object when there are none. */
function withCalls(message: AssistantMessage, change: (call: ToolCall) => ToolCall): AssistantMessage {
	if (!message.content.some(({ type }) => type === "toolCall")) return message;
	return {
		...message,
		content: message.content.map((part) => (part.type === "toolCall" ? change(part) : part)),
	};
}

function theirTool(shape: ToolShape | undefined, tool: Tool): Tool {
	if (shape === undefined) return tool;
	const schema = tool.parameters as {
		readonly properties?: JsonRecord;
		readonly required?: readonly string[];
	};
	const name = (own: string) => shape.parameters?.[own]?.name ?? own;
	return {
		...tool,
		name: shape.name,
		parameters: {
			...schema,
			...(schema.properties === undefined
				? {}
				: {
						properties: Object.fromEntries(
							Object.entries(schema.properties).map(([own, property]) => [
								name(own),
								described(shape.parameters?.[own], property),
							]),
						),
					}),
			...(schema.required === undefined ? {} : { required: schema.required.map(name) }),
		},
	};
}

function described(shape: ParameterShape | undefined, property: unknown): unknown {
	if (shape?.description === undefined) return property;
	return { ...(property as object), description: shape.description };
}

/** The part of a shape that a call made use of: a model may call a parameter by our name all the same. */
function usedShape({ name, parameters = {} }: ToolShape, args: JsonObject): ToolShape {
	const used = Object.entries(parameters)
		.filter(([, parameter]) => parameter.name in args)
		.map(([own, { name: theirs, scale }]) => [
			own,
			{ name: theirs, ...(scale === undefined ? {} : { scale }) },
		]);
	return used.length === 0 ? { name } : { name, parameters: Object.fromEntries(used) };
}

function theirArguments({ parameters = {} }: ToolShape, args: JsonObject): JsonObject {
	return Object.fromEntries(
		Object.entries(args).map(([own, value]) => {
			const { name = own, scale = 1 } = parameters[own] ?? {};
			// As many digits as a number holds for sure: 4.031 s are 4031 ms, and not a little less.
			return [name, counted(value, (amount) => Number((amount * scale).toPrecision(15)))];
		}),
	);
}

function ourArguments({ parameters = {} }: ToolShape, args: JsonObject): JsonObject {
	const own = new Map(
		Object.entries(parameters).map(([ours, { name, scale = 1 }]) => [name, { ours, scale }]),
	);
	return Object.fromEntries(
		Object.entries(args).map(([name, value]) => {
			const { ours = name, scale = 1 } = own.get(name) ?? {};
			return [ours, counted(value, (amount) => amount / scale)];
		}),
	);
}

function counted(value: JsonValue, change: (amount: number) => number): JsonValue {
	return typeof value === "number" ? change(value) : value;
}

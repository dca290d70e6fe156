import { parseSync } from "vite";

/** A node of the syntax tree, as ESTree has it. */
type Node = { readonly type: string } & Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";

/** Calls and fields whose texts no reader of a problem sees. */
const SILENT =
  /^(?:json|describe|bytes|endingRoute|Error|TypeError|RangeError|SettingsError|PageError|LostObject|SourceFailure|UnreadDocument|IssuerUnavailable|JpegError|NeverStill|FenceLost|BackupError|log|description|summary|example|tags)$/;

/** Calls and fields whose texts are parts of a sentence, or messages of fields. */
const PARTS =
  /^(?:refuse|refused|damaged|tooLarge|limitReached|stop|PngError|SvgLimitExceeded|SvgNotDrawable|refine|regex|superRefine|addIssue|min|max|int|custom|message)$/;

/** The text of a literal, with `{0}` for each value; null for another node. */
function textOf(node: Node): string | null {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : null;
  if (node.type !== "TemplateLiteral") return null;
  const { quasis, expressions } = node as unknown as {
    quasis: { value: { cooked: string } }[];
    expressions: unknown[];
  };
  return quasis.map(({ value }, n) => value.cooked + (n < expressions.length ? `{${n}}` : "")).join("");
}

const nameOf = (node: unknown): string => {
  if (!isNode(node)) return "";
  if (node.type === "MemberExpression") return nameOf(node.property);
  return String(node.name ?? node.value ?? "");
};

/** Whether a text is a sentence, and no markup or statement of SQL. */
const isSentence = (text: string): boolean =>
  /^[A-Z`{“].*[a-z]{2}.*[.?]$/s.test(text) && !/<[a-z]+[ >=].*<|=>|SELECT|UPDATE |CROSS JOIN/.test(text);

/** The sentences and the messages of fields in a source file that a problem or a stored reason can have. */
export function sentencesOf(file: string, source: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown, around: string): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, around);
    if (!isNode(value) || /^(?:TaggedTemplateExpression|ImportDeclaration|TSLiteralType)$/.test(value.type)) return;
    const text = textOf(value);
    if (text !== null && /[a-z`}] [a-z`{“]/i.test(text) && !/CROSS JOIN/.test(text))
      if (isSentence(text) || PARTS.test(around)) found.push(text);
    for (const [key, child] of Object.entries(value)) {
      let name = around;
      if (value.type === "Property" && key === "value") name = nameOf(value.key);
      if (/^(?:Call|New)Expression$/.test(value.type) && key === "arguments") name = nameOf(value.callee);
      if (value.type === "VariableDeclarator" && key === "init" && nameOf(value.id) === "description") continue;
      if (!SILENT.test(name)) visit(child, name);
    }
  };
  visit(parseSync(file, source).program, "");
  return found;
}

import type { Content } from "../tables";
import { type JsonPath, own } from "../templating/path";

/** The same draft with `text` at its body's path, where that leads anywhere; without one, a body that is there stays. */
export function withBody(content: Content, path: JsonPath | null, text: string | null = null): Content {
  if (path === null || path.length === 0) return content;
  return placed(content, path, text) as Content;
}

function placed(at: unknown, [segment, ...rest]: JsonPath, text: string | null): unknown {
  if (segment === undefined) return text ?? at ?? "";
  if (at === undefined || at === null) return { [segment]: placed(undefined, rest, text) };
  if (typeof at !== "object") return at;
  const inner = placed(own(at, segment), rest, text);
  if (!Array.isArray(at)) return { ...at, [segment]: inner };
  const n = Number(segment);
  return /^\d+$/.test(segment) && n <= at.length ? [...at.slice(0, n), inner, ...at.slice(n + 1)] : at;
}

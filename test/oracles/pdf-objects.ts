import { execFileSync } from "node:child_process";

/** A value as qpdf writes it to JSON: names with a slash, texts with `u:` or `b:`, references as `7 0 R`. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Dict = { [key: string]: Json };

interface Held {
  value?: Json;
  stream?: { dict: Dict; data?: string };
}

/** The objects of a PDF as qpdf reads them, with unpacked streams. */
export class Objects {
  readonly #held: Record<string, Held>;

  constructor(file: string) {
    const json = execFileSync(
      "qpdf",
      ["--json=2", "--json-key=qpdf", "--json-stream-data=inline", "--decode-level=generalized", file],
      { maxBuffer: 2 ** 30, encoding: "utf8" },
    );
    this.#held = (JSON.parse(json) as { qpdf: [unknown, Record<string, Held>] }).qpdf[1];
  }

  /** The numbers of all objects. */
  get numbers(): string[] {
    return Object.keys(this.#held).flatMap((key) => (key.startsWith("obj:") ? [key.slice(4)] : []));
  }

  get(value: Json | undefined): Json {
    if (typeof value !== "string" || !/^\d+ \d+ R$/.test(value)) return value ?? null;
    const held = this.#held[`obj:${value}`];
    return held?.stream?.dict ?? held?.value ?? null;
  }

  dict(value: Json | undefined): Dict {
    const found = this.get(value);
    return found !== null && typeof found === "object" && !Array.isArray(found) ? found : {};
  }

  list(value: Json | undefined): Json[] {
    const found = this.get(value);
    return Array.isArray(found) ? found : found === null ? [] : [value as Json];
  }

  /** The unpacked bytes of a stream. */
  bytes(ref: Json | undefined): Buffer {
    return Buffer.from(this.#held[`obj:${String(ref)}`]?.stream?.data ?? "", "base64");
  }

  get trailer(): Dict {
    return this.dict(this.#held.trailer?.value);
  }

  get catalogue(): Dict {
    return this.dict(this.trailer["/Root"]);
  }

  /** The pages, with the references to them. */
  get pages(): { ref: string; dict: Dict }[] {
    const below = (node: Json): { ref: string; dict: Dict }[] => {
      const dict = this.dict(node);
      return dict["/Type"] === "/Pages" ? this.list(dict["/Kids"]).flatMap(below) : [{ ref: String(node), dict }];
    };
    return below(this.catalogue["/Pages"] ?? null);
  }
}

export const textIn = (value: Json | undefined): string => {
  if (typeof value !== "string") return "";
  return value.startsWith("b:") ? Buffer.from(value.slice(2), "hex").toString("latin1") : value.replace(/^u:/, "");
};

/** One operator of a content with its operands as they are written. */
export interface Operation {
  operator: string;
  operands: string[];
}

const TOKENS =
  /<<(?:[^<>]|<[\da-fA-F\s]*>|<<[\s\S]*?>>)*>>|<[\da-fA-F\s]*>|\((?:[^\\()]|\\[\s\S])*\)|\[(?:[^\][<(]|<[\da-fA-F\s]*>|\((?:[^\\()]|\\[\s\S])*\))*\]|\/[^\s<>[\](){}/%]*|[^\s<>[\](){}/%]+/g;

/** The operators of a content. */
export function* operationsOf(content: Buffer): Generator<Operation> {
  let operands: string[] = [];
  for (const [token] of content.toString("latin1").matchAll(TOKENS))
    if (/^[a-zA-Z'"]/.test(token)) {
      yield { operator: token, operands };
      operands = [];
    } else operands.push(token);
}

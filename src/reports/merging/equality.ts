export const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Numbers JSON values, so that equal values have equal numbers. Each value is read once, so comparing is linear in the
 * size of the draft, at any depth.
 */
export class Equality {
  readonly #numbers = new Map<string, number>();
  readonly #known = new WeakMap<object, number>();

  /** The number of a value. The order of an object's fields does not matter. */
  of(value: unknown): number {
    if (typeof value !== "object" || value === null) return this.#number(`${typeof value} ${String(value)}`);
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const text = Array.isArray(value)
      ? `[${value.map((item) => this.of(item)).join()}`
      : `{${Object.entries(value)
          .map(([key, inner]) => `${this.#number(`key ${key}`)}:${this.of(inner)}`)
          .sort()
          .join()}`;
    const number = this.#number(text);
    this.#known.set(value, number);
    return number;
  }

  same(a: unknown, b: unknown): boolean {
    return Object.is(a, b) || this.of(a) === this.of(b);
  }

  #number(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const next = this.#numbers.size;
    this.#numbers.set(text, next);
    return next;
  }
}

/** The identity that a list item names itself; null when it has none. */
export function keyOf(item: unknown): string | null {
  if (!isObject(item)) return null;
  const { id, documentPath } = item;
  if ((typeof id === "string" && id !== "") || typeof id === "number") return `id ${typeof id} ${id}`;
  return typeof documentPath === "string" && documentPath !== "" ? `documentPath ${documentPath}` : null;
}

/** Fields by which people name an item, the strongest first. */
const NAME_FIELDS = ["key", "code", "title", "name", "label", "heading", "question"] as const;

/** The name that people gave a list item without an identity, with its field; null when it has none. */
export function nameOf(item: unknown): string | null {
  if (!isObject(item) || keyOf(item) !== null) return null;
  for (const field of NAME_FIELDS) {
    const value = item[field];
    if (typeof value === "number" || (typeof value === "string" && value.trim() !== ""))
      return `${field} ${typeof value} ${value}`;
  }
  return null;
}

/** Depth of fields within fields in which an item's names are looked for. */
const MAX_NAME_DEPTH = 3;

/** A text or a number of an item. */
export interface Name {
  /** The field, and the number of its value. */
  name: string;
  path: string;
  value: string | number;
}

/** The values by which a reader tells an item from others: its texts and numbers. */
export function namesOf(item: unknown, equality: Equality): Name[] {
  const names: Name[] = [];
  const read = (value: unknown, path: string, depth: number): void => {
    if (typeof value === "object" && value !== null) {
      if (depth < MAX_NAME_DEPTH)
        for (const [field, inner] of Object.entries(value)) read(inner, `${path}${field}\n`, depth + 1);
    } else if (depth > 0 && (typeof value === "number" || (typeof value === "string" && value.trim() !== "")))
      names.push({ name: `${path}${equality.of(value)}`, path, value });
  };
  read(item, "", 0);
  return names;
}

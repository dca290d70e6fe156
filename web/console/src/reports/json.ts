/** A JSON object. */
export type JsonObject = { [key: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value at a path such as `parts.0.text`. */
export const valueAt = (content: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((at, segment) => {
    if (Array.isArray(at)) return at[Number(segment)];
    return isObject(at) && Object.hasOwn(at, segment) ? at[segment] : undefined;
  }, content);

/** A key such as `windSpeed` or `wind_speed` as a readable name: Wind speed. */
export function humanName(key: string): string {
  const words = key
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/[_-]+/g, " ")
    .trim();
  const text = /\p{Ll}/u.test(words) ? words.toLowerCase() : words;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** JSON with the keys of its objects in order, to compare two values by. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );

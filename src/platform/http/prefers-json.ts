/** Whether an Accept header (RFC 9110, 12.5.1) puts JSON first; `*` ranges alone do not. */
export function prefersJson(accept: string | undefined): boolean {
  const ranges = (accept ?? "").split(",").map((range, index) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    return { type, weight: Number.isNaN(weight) ? 0 : weight, index };
  });
  const [first] = ranges.sort((a, b) => b.weight - a.weight || a.index - b.index);
  return first !== undefined && first.weight > 0 && first.type === "application/json";
}

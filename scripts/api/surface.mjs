/** The statuses whose answers a client reads. */
const READ = ["200", "201", "202"];
/** Levels of fields in fields that are compared. No body of the service is deeper, but for trees. */
const MAX_LEVELS = 12;

/** The types of a schema, and its fields below it as [path, types, isRequired]. */
function* fieldsOf(schema, schemas, path, levels, isRequired = true) {
  const { $ref, anyOf, oneOf, allOf, type, properties, required = [], items } = schema;
  if (levels > MAX_LEVELS) return;
  if ($ref !== undefined) return yield* fieldsOf(schemas[$ref.split("/").at(-1)], schemas, path, levels, isRequired);
  for (const part of anyOf ?? oneOf ?? allOf ?? []) yield* fieldsOf(part, schemas, path, levels, isRequired);
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  for (const one of [type ?? []].flat())
    yield { path, type: values === undefined ? one : values.map((value) => JSON.stringify(value)), isRequired };
  if (items !== undefined) yield* fieldsOf(items, schemas, `${path}[]`, levels + 1, false);
  for (const [name, field] of Object.entries(properties ?? {}))
    yield* fieldsOf(field, schemas, path === "" ? name : `${path}.${name}`, levels + 1, required.includes(name));
}

/** What an operation takes: its parameters and the fields of its body. */
function* inputsOf({ parameters = [], requestBody }, schemas) {
  for (const { in: place, name, required = false, schema } of parameters)
    if (place !== "path") yield* fieldsOf(schema, schemas, `${place}.${name}`, 0, required);
  const body = requestBody?.content?.["application/json"]?.schema;
  if (body !== undefined) yield* fieldsOf(body, schemas, "body", 0);
}

/**
 * What a client can rely on, a line each: `GET /v1/tags` is an operation, `< query.limit: integer` an input that it takes, `<!` an
 * input that it demands, and `> 200 items[].id: string` a field of an answer. An input has a line for each type and value.
 * @param description an OpenAPI 3.1 description
 * @returns the sorted lines
 */
export function surfaceOf({ paths, components: { schemas } }) {
  const lines = new Set();
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`;
      lines.add(name);
      for (const input of inputsOf(operation, schemas)) {
        for (const type of [input.type].flat()) lines.add(`${name} < ${input.path}: ${type}`);
        if (input.isRequired) lines.add(`${name} <! ${input.path}`);
      }
      for (const status of READ) {
        const answer = operation.responses[status]?.content?.["application/json"]?.schema;
        if (answer === undefined) continue;
        const types = new Map();
        for (const { path: field, type } of fieldsOf(answer, schemas, "", 0)) {
          const known = types.get(field) ?? types.set(field, new Set()).get(field);
          // A client must expect new values.
          known.add(Array.isArray(type) ? "value" : type);
        }
        for (const [field, known] of types)
          lines.add(`${name} > ${status} ${field === "" ? "answer" : field}: ${[...known].sort().join(" or ")}`);
      }
    }
  return [...lines].sort();
}

const operationOf = (line) => line.split(" ", 2).join(" ");

/** The object that a demanded input is a field of; null for parameters and bodies. */
function parentOf(line) {
  const path = line.slice(line.indexOf(" <! ") + 4);
  const parent = path.slice(0, Math.max(0, path.lastIndexOf("."))).replace(/(\[\])+$/, "");
  return parent.includes(".") || parent === "body" ? parent : null;
}

/**
 * The breaks between two surfaces: published lines that are gone, and inputs that a published operation demands now. A new
 * object may demand its own fields.
 * @returns sentences
 */
export function breaksBetween(published, current) {
  const [before, after] = [new Set(published), new Set(current)];
  const isDemand = (line) => line.includes(" <! ");
  const gone = published.filter((line) => !isDemand(line) && !after.has(line));
  const isPublished = (operation, parent) => published.some((line) => line.startsWith(`${operation} < ${parent}: `));
  const demanded = current.filter((line) => {
    if (!isDemand(line) || before.has(line) || !before.has(operationOf(line))) return false;
    const parent = parentOf(line);
    return parent === null || isPublished(operationOf(line), parent);
  });
  return [...gone.map((line) => `gone: ${line}`), ...demanded.map((line) => `demanded now: ${line}`)];
}

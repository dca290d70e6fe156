import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { app } from "../../src/app";
import { describeApi } from "../../src/platform/http/description";

/*
 * Every JSON answer that a test gets is compared with the schema that the API's description gives for its route and
 * status. A schema is read strictly: no field may be missing, and each field must be in the schema.
 */

type Json = { [key: string]: unknown };
interface Operation {
  route: string;
  pattern: RegExp;
  responses: Record<string, { content?: Record<string, unknown> }>;
}

const OPEN = ".open";
const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

/** The form of a schema inside an `allOf`. It accepts unknown properties, because another part of the `allOf` can define them. */
function openPart(part: unknown): unknown {
  if (!isObject(part)) return part;
  if (typeof part.$ref === "string") return { ...part, $ref: part.$ref + OPEN };
  return closedInside(part);
}

/** The schemas inside the given schema, closed. */
const closedInside = (schema: Json): Json =>
  Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === "example" || key === "enum" || key === "default") return [key, value];
      if (key === "properties" && isObject(value))
        return [key, Object.fromEntries(Object.entries(value).map(([name, property]) => [name, closed(property)]))];
      if (key === "allOf" && Array.isArray(value)) return [key, value.map(openPart)];
      return [key, Array.isArray(value) ? value.map(closed) : closed(value)];
    }),
  );

/** The schema without additional properties in its objects. */
function closed(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const namesFields = "properties" in schema || "allOf" in schema;
  const inside = closedInside(schema);
  return namesFields && !("additionalProperties" in schema) ? { ...inside, unevaluatedProperties: false } : inside;
}

function closedComponents(schemas: Json): Json {
  const entries = Object.entries(schemas).flatMap(([name, schema]) => [
    [name, closed(schema)],
    [name + OPEN, isObject(schema) ? closedInside(schema) : schema],
  ]);
  return Object.fromEntries(entries);
}

/**
 * The operations of the description, operations with fewer parameters first: a literal segment comes before a
 * parameter.
 */
function operationsOf(paths: Json): Operation[] {
  const parameters = (path: string) => path.split("{").length;
  return Object.entries(paths)
    .sort(([one], [other]) => parameters(one) - parameters(other))
    .flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, Pick<Operation, "responses">>).map(([method, { responses }]) => ({
        route: `${method.toUpperCase()} ${path}`,
        pattern: new RegExp(`^${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "[^/]+")}$`),
        responses,
      })),
    );
}

function readDescription() {
  const { paths = {}, components = {} } = describeApi(app);
  const validator = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(validator);
  validator.addFormat("password", true);
  validator.addSchema({ $id: "api", components: { schemas: closedComponents((components.schemas ?? {}) as Json) } });
  return { validator, operations: operationsOf(paths as Json), compiled: new Map<string, ValidateFunction>() };
}
let description: ReturnType<typeof readDescription> | undefined;

/** The schema with its references into the description, as the validator knows that. */
const located = (schema: unknown): Json =>
  JSON.parse(JSON.stringify(closed(schema)).replaceAll('"#/components/', '"api#/components/')) as Json;

const told = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath || "/"} ${message} ${JSON.stringify(params)}`;

/**
 * The differences between an answer and its description. Empty if there are none, or if the description does not have
 * the route.
 */
export function undescribed(method: string, path: string, status: number, type: string, body: string): string[] {
  description ??= readDescription();
  const { validator, operations, compiled } = description;
  const asked = `${method} ${path}`;
  const operation = operations.find(({ pattern }) => pattern.test(asked));
  if (operation === undefined) return [];
  const at = `${operation.route} ${status}`;
  // The middleware answers a conditional GET of any route.
  if (status === 304) return [];
  const response = operation.responses[status] ?? (status >= 400 ? operation.responses.default : undefined);
  if (response === undefined) return [`${at}: the status is not described`];
  if (response.content === undefined) return body === "" ? [] : [`${at}: a body is not described`];
  const media = response.content[type];
  if (!isObject(media)) return [`${at}: ${type || "no body"} is not described`];
  if (!/json$/.test(type)) return [];
  const key = `${at} ${type}`;
  const validate = compiled.get(key) ?? validator.compile(located(media.schema));
  compiled.set(key, validate);
  return validate(JSON.parse(body)) ? [] : (validate.errors ?? []).map((error) => `${at}: ${told(error)}`);
}

/** Fails a test whose answer is not as described. It reads a copy of the body, of text alone. */
export async function expectDescribed(method: string, path: string, response: Response): Promise<void> {
  const type = (response.headers.get("content-type") ?? "").replace(/;.*/, "");
  const body = /json$/.test(type) ? await response.clone().text() : "";
  const wrong = undescribed(method, new URL(path, "http://any").pathname, response.status, type, body);
  if (wrong.length > 0)
    throw new Error(`The answer is not as described.\n${wrong.join("\n")}\n${body.slice(0, 2_000)}`);
}

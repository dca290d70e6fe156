import { type RouteConfig, z } from "@hono/zod-openapi";
import { expect, test } from "vitest";
import { app } from "../../src/app";
import { describeApi } from "../../src/platform/http/description";

const routes = app.openAPIRegistry.definitions.flatMap((definition) =>
  definition.type === "route" ? [definition.route] : [],
);
const described = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), z.unknown())),
    components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({ example: z.unknown() })) }),
  })
  .parse(describeApi(app));
const { schemas } = described.components;

/** The zod schema of a route's body, and its name in the API description. */
interface Body {
  of: string;
  schema: z.ZodType;
  name: string | undefined;
}

const reference = z.looseObject({
  content: z.record(z.string(), z.looseObject({ schema: z.looseObject({ $ref: z.string().optional() }).optional() })),
});
const operation = z.looseObject({
  requestBody: reference.optional(),
  responses: z.record(z.string(), z.union([reference, z.looseObject({})])),
});

/** Every JSON body of a route's request or response. */
function bodiesOf(route: RouteConfig): Body[] {
  const told = operation.parse(described.paths[route.path]?.[route.method]);
  const of = `${route.method.toUpperCase()} ${route.path}`;
  const nameIn = (part: unknown, type: string) => {
    const { data } = reference.safeParse(part);
    return data?.content[type]?.schema?.$ref?.replace("#/components/schemas/", "");
  };
  const read = (which: string, content: object | undefined, part: unknown): Body[] =>
    Object.entries(content ?? {}).flatMap(([type, { schema }]) =>
      schema instanceof z.ZodType && type.endsWith("json")
        ? [{ of: `${of} ${which}`, schema, name: nameIn(part, type) }]
        : [],
    );
  return [
    ...read("body", route.request?.body?.content, told.requestBody),
    ...Object.entries(route.responses).flatMap(([status, response]) =>
      "content" in response ? read(status, response.content, told.responses[status]) : [],
    ),
  ];
}

test("every JSON body has a schema with a name", () => {
  const bodies = routes.flatMap(bodiesOf);
  expect(bodies.length).toBeGreaterThan(150);
  expect(bodies.filter(({ name }) => name === undefined).map(({ of }) => of)).toEqual([]);
});

test("every schema has an example, and the service takes the example of each body", () => {
  expect(Object.keys(schemas).filter((name) => schemas[name]?.example == null)).toEqual([]);
  const refused = routes.flatMap(bodiesOf).flatMap(({ of, schema, name = "" }) => {
    const { error } = schema.safeParse(schemas[name]?.example);
    return error === undefined
      ? []
      : [`${of} ${name}: ${error.issues.map((i) => `${i.path.join(".")} ${i.message}`).join("; ")}`];
  });
  expect([...new Set(refused)]).toEqual([]);
});

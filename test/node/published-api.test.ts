import { expect, test } from "vitest";
import { breaksBetween, surfaceOf } from "../../scripts/api/surface.mjs";

const tag = {
  type: "object",
  properties: { id: { type: "string" }, parent: { anyOf: [{ $ref: "#/components/schemas/Tag" }, { type: "null" }] } },
};
const create = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string" }, colour: { type: "string", enum: ["red", "blue"] } },
};
const described = ({ answer = tag as object, body = create as object, path = "/v1/tags" } = {}) =>
  surfaceOf({
    paths: {
      [path]: {
        post: {
          parameters: [{ in: "query", name: "dry", schema: { type: "boolean" } }],
          requestBody: { content: { "application/json": { schema: body } } },
          responses: { 201: { content: { "application/json": { schema: { $ref: "#/components/schemas/Tag" } } } } },
        },
      },
    },
    components: { schemas: { Tag: answer } },
  });
const published = described();
const breaks = (change: Parameters<typeof described>[0]) => breaksBetween(published, described(change));

test("additions break nothing", () => {
  const properties = { ...create.properties, note: { type: "string" }, colour: { type: ["string", "null"] } };
  const colours = { ...create.properties, colour: { type: "string", enum: ["red", "blue", "green"] } };
  expect(breaks({})).toEqual([]);
  expect(breaks({ body: { ...create, properties: colours } })).toEqual([]);
  expect(breaks({ body: { ...create, required: [], properties: { ...properties, colour: colours.colour } } })).toEqual(
    [],
  );
  expect(breaks({ answer: { ...tag, properties: { ...tag.properties, colour: { type: "string" } } } })).toEqual([]);
  const place = { type: "object", required: ["id"], properties: { id: { type: "string" } } };
  expect(breaks({ body: { ...create, properties: { ...create.properties, place } } })).toEqual([]);
});

test("each kind of break is found", () => {
  expect(breaks({ path: "/v2/tags" })).toContain("gone: POST /v1/tags");
  const { name, ...others } = create.properties;
  expect(breaks({ body: { ...create, required: [], properties: others } })).toEqual([
    "gone: POST /v1/tags < body.name: string",
  ]);
  expect(breaks({ body: { ...create, required: ["name", "colour"] } })).toEqual([
    "demanded now: POST /v1/tags <! body.colour",
  ]);
  const fewer = { ...create.properties, colour: { type: "string", enum: ["red"] } };
  expect(breaks({ body: { ...create, properties: fewer } })).toEqual(['gone: POST /v1/tags < body.colour: "blue"']);
  const { id, ...rest } = tag.properties;
  expect(breaks({ answer: { ...tag, properties: rest } })).toContain("gone: POST /v1/tags > 201 id: string");
  const nullable = { ...tag.properties, id: { type: ["string", "null"] } };
  expect(breaks({ answer: { ...tag, properties: nullable } })).toContain("gone: POST /v1/tags > 201 id: string");
});

import { expect, test } from "vitest";
import { z } from "zod";
import { expectJson } from "../support/call";

const schema = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  anyOf: z.array(z.looseObject({ type: z.string().optional() })).optional(),
});
const description = z.looseObject({
  components: z.looseObject({
    schemas: z.record(z.string(), z.looseObject({ properties: z.record(z.string(), schema).optional() })),
  }),
});

test("nullable fields are described as nullable, including named schemas and explicit types", async () => {
  const { components } = await expectJson(description, 200, "GET", "/openapi.json");
  const takesNull = (name: string, property: string): boolean => {
    const { type, anyOf } = components.schemas[name]?.properties?.[property] ?? {};
    return (Array.isArray(type) && type.includes("null")) || (anyOf?.some((one) => one.type === "null") ?? false);
  };
  for (const [name, property] of [
    ["PersonalAccessToken", "capabilities"],
    ["PersonalAccessTokenCreate", "expiresAtUtc"],
    ["PersonalAccessTokenUpdate", "expiresAtUtc"],
    ["PersonalAccessTokenUpdate", "capabilities"],
    ["Profile", "tokenLimits"],
    ["Grant", "expiresAtUtc"],
    ["MemberCreateResult", "member"],
    ["MemberCreateResult", "invitation"],
    ["Annotation", "position"],
  ] as const)
    expect([name, property, takesNull(name, property)]).toEqual([name, property, true]);
  expect(takesNull("PersonalAccessToken", "name")).toBe(false);
});

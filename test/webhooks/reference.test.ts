import { expect, test } from "vitest";
import page from "../../docs/reference/webhooks.md?raw";
import { PAYLOADS, payloadSchema, WEBHOOK_TYPES } from "../../src/webhooks/payloads";

const [, types = "", fields = ""] = page.split(/^## (?:Types|Fields|Faults of tries)$/m);
const rowsOf = (text: string) => [...text.matchAll(/^\| `([^`]+)` \| .+? \|(?: (.+) \|)?$/gm)];

test("the page has each type with its fields, in the order of the schemas", () => {
  const listed = rowsOf(types).map(([, type, names = ""]) => [type, names.replaceAll("`", "").split(", ")]);
  const expected = Object.entries(PAYLOADS).map(([type, schema]) => [type, Object.keys(schema.shape)]);
  expect(listed).toEqual(expected);
  expect(WEBHOOK_TYPES.length).toBe(listed.length - 1);
});

test("the page explains each field", () => {
  const explained = rowsOf(fields).map(([, name = ""]) => name);
  const used = new Set(Object.values(PAYLOADS).flatMap((schema) => Object.keys(schema.shape)));
  expect(new Set(explained)).toEqual(used);
});

test("the example of the page is a payload of its type", () => {
  const [, example = ""] = /```json\n([\s\S]+?)```/.exec(page) ?? [];
  const payload = payloadSchema.parse(JSON.parse(example));
  expect(PAYLOADS[payload.type].parse(payload.data)).toEqual(payload.data);
});

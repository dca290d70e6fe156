import { expect, test } from "vitest";
import { parseSettings } from "../../src/platform/settings";

const required = {
  PUBLIC_BASE_URL: "https://docs.example.org",
  OBJECT_SIGNING_SECRET: "x".repeat(32),
  SESSION_SIGNING_KEY: JSON.stringify({ kty: "OKP", crv: "Ed25519", d: "d".repeat(43), x: "x".repeat(43) }),
};

test("a final slash of an address is removed", () => {
  const { PUBLIC_BASE_URL } = parseSettings({ ...required, PUBLIC_BASE_URL: "https://Docs.example.org/" });
  expect(PUBLIC_BASE_URL).toBe("https://docs.example.org");
});

test.each([
  ["PUBLIC_BASE_URL", "https://example.org/docs"],
  ["PUBLIC_BASE_URL", "https://example.org/?a"],
  ["PUBLIC_BASE_URL", "docs.example.org"],
  ["PUBLIC_BASE_URL", "ftp://docs.example.org"],
  ["ALLOWED_ORIGINS", "https://console.example.org/app"],
  ["ALLOWED_ORIGINS", "*"],
  ["ALLOWED_ORIGINS", "console.example.org"],
])("%s as %s is refused with the required form", (name, value) => {
  expect(() => parseSettings({ ...required, [name]: value })).toThrow(
    new RegExp(`${name}.*such as https://[a-z]+\\.example\\.org, without a path`),
  );
});

test("origins are compared as browsers send them", () => {
  const { ALLOWED_ORIGINS } = parseSettings({
    ...required,
    ALLOWED_ORIGINS: "https://Console.example.org/, http://127.0.0.1:5173",
  });
  expect(ALLOWED_ORIGINS).toEqual(["https://console.example.org", "http://127.0.0.1:5173"]);
});

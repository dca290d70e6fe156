import { expect, test } from "vitest";
import page from "../../docs/reference/errors.md?raw";
import { PROBLEMS } from "../../src/platform/errors";

test("the page lists every problem code with its status, and no other", () => {
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \| (\d{3}) \|/gm)].map(([, code = "", status = ""]) => [
    code,
    Number(status),
  ]);
  const codes = Object.entries(PROBLEMS).map(([code, [status]]) => [code, status]);
  expect(listed.sort()).toEqual(codes.sort());
});

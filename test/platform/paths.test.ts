import { describe, expect, test } from "vitest";
import { NOTIFICATION_TYPES, ORIGIN_TYPES } from "../../src/events";
import { newId } from "../../src/platform/ids";
import {
  AREAS,
  areaAt,
  INVITATIONS,
  invitationPath,
  originPath,
  PASSWORD_RESET,
  passwordResetPath,
} from "../../src/platform/paths";
import { call } from "../support/call";

const ANY = "https://workspace.test";

describe("the path of each origin", () => {
  const cases = ORIGIN_TYPES.flatMap((type) => NOTIFICATION_TYPES.map((about) => [type, about] as const));
  test.each(cases)("of %s, by %s, leads to a view of the console, with the id", (type, about) => {
    for (const locationId of [newId(), null]) {
      const id = newId();
      const origin = { type, id, locationId, data: { operationId: newId() } };
      const url = new URL(originPath({ about, origin }), ANY);
      expect(areaAt(url.pathname)).not.toBeNull();
      expect(url.href.includes(id) || (type === "annotation" && locationId === null)).toBe(true);
    }
  });
});

test("every view, and the pages of links in mails, are served", async () => {
  for (const path of [...AREAS.map((area) => `/console/${area}`), PASSWORD_RESET, INVITATIONS]) {
    const response = await call("GET", path);
    expect([path, response.status, response.headers.get("content-type")]).toEqual([
      path,
      200,
      expect.stringMatching(/^text\/html/),
    ]);
    await response.body?.cancel();
  }
  expect([passwordResetPath("a"), invitationPath("b")]).toEqual(["/password-reset#a", "/invitations#b"]);
});

test("a path that no view has is nobody's", () => {
  for (const path of ["/locations/x", "/console", "/console/", "/console/nothing", "/console/files/a.js", "/"])
    expect(areaAt(path)).toBeNull();
  expect(areaAt("/console/locations/1/documents/")).toEqual({ area: "locations", path: ["1", "documents"] });
});

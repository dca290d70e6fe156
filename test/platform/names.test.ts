import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { fileNameSchema } from "../../src/documents";
import { lineSchema } from "../../src/platform/http/fields";
import { BASE_URL, call, codeOf, problem } from "../support/call";
import { mintCamera } from "../support/cameras";
import { mintCluster, mintLocation, mintOrganization, mintToken } from "../support/factories";
import { mintSignedIn } from "../support/sessions";

const REFUSED = [
  "line\u000afeed",
  "nul\u0000",
  "next\u0085line",
  "line\u2028separator",
  "lone \ud800",
  "\udc00 lone",
  "\u200b",
  "\u200d\ufeff",
  "\u3164",
  "\u2800",
  "\u202e\u00ad",
];
const TAKEN = ["a", "北", "ß ", "👩‍🚒", "ا", "e\u0301", "नमस्ते", "ab\u200dc"];

describe("a name", () => {
  test("has no control characters or lone surrogates, and has a visible character", () => {
    for (const schema of [lineSchema(100), fileNameSchema]) {
      for (const name of REFUSED) expect([name, schema.safeParse(name).success]).toEqual([name, false]);
      for (const name of TAKEN) expect([name, schema.safeParse(name).success]).toEqual([name, true]);
    }
  });

  test("is checked by the same rules in every request", async () => {
    const { id: organizationId, owner } = await mintOrganization({ externalShares: true, cameras: true });
    const { token: session } = await mintSignedIn();
    const tenant = { organizationId };
    const cluster = await mintCluster(tenant);
    const { id: locationId } = await mintLocation(tenant);
    const camera = await mintCamera(organizationId, locationId);
    const at = `/v1/spatial/locations/${locationId}`;
    const upload = { contentType: "text/plain", sizeBytes: 1, checksumSha256: "0".repeat(64) };
    const places: [method: string, path: string, (name: string) => object, token?: string][] = [
      ["POST", "/v1/orgs", (name) => ({ name })],
      ["POST", "/v1/spatial/clusters", (name) => ({ organizationId, name })],
      ["POST", "/v1/spatial/locations", (name) => ({ clusterId: cluster, name })],
      ["POST", `${at}/cameras`, (name) => ({ name })],
      ["POST", `${at}/camera-shares`, (name) => ({ name, cameraIds: [camera.id] })],
      ["POST", `${at}/documents/upload-start`, (fileName) => ({ fileName, ...upload })],
      ["PATCH", "/v1/auth/me", (displayName) => ({ displayName }), session],
      ["POST", "/v1/auth/tokens", (name) => ({ name }), session],
    ];
    for (const [method, path, body, token = owner.token] of places)
      for (const name of ["a\u0000", "\u200b", "\ud800"])
        expect([path, name, await codeOf(await call(method, path, { token, body: body(name) }))]).toEqual([
          path,
          name,
          "400 validation-failed",
        ]);
  });
});

test("a body with other bytes than UTF-8 is refused", async () => {
  const { owner } = await mintOrganization();
  const [before, after] = ['{"name":"caf', '"}'].map((part) => new TextEncoder().encode(part));
  const answer = await exports.default.fetch(
    new Request(`${BASE_URL}/v1/orgs`, {
      method: "POST",
      headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
      body: new Blob([before ?? "", Uint8Array.of(0xe9), after ?? ""]),
    }),
  );
  expect(await codeOf(answer)).toBe("400 malformed-request");
});

test("a restricted token gets the name of the capability that it lacks", async () => {
  const { id, owner } = await mintOrganization();
  const refused = async (
    capabilities: Record<string, "Read" | "Write">,
    method: string,
    path: string,
    body?: object,
  ) => {
    const { token } = await mintToken(owner.userId, { capabilities });
    const answer = await call(method, path, { token, body });
    return problem.parse(await answer.json());
  };
  const seen = await refused({ OrganizationView: "Read" }, "PATCH", `/v1/orgs/${id}`, { name: "Other" });
  expect(seen).toMatchObject({ status: 403, detail: expect.stringContaining("lacks Write of OrganizationView") });
  const made = await refused({ Documents: "Read" }, "POST", "/v1/orgs", { name: "Other" });
  expect(made.detail).toContain("does not have Write of OrganizationView");
  const { token } = await mintToken(owner.userId, { organizationIds: [id] });
  const cut = problem.parse(await (await call("POST", "/v1/orgs", { token, body: { name: "Other" } })).json());
  expect(cut.detail).toContain("restricted to certain organizations");
});

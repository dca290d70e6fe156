import { env, exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { openObjectStore } from "../../../src/platform/objects/store";
import { settingsOf } from "../../../src/platform/settings";
import { MARK, uploadAsset } from "../../support/branding";
import { call } from "../../support/call";
import { mintImage } from "../../support/cameras";
import { mintDevice, upload, words } from "../../support/device";
import { uploadDocument } from "../../support/documents";
import { addMember, mintMember } from "../../support/factories";
import { mintSession } from "../../support/sessions";

/* An address of the Worker's own endpoint shows bytes only while the credential that asked for it may read them. */

type Device = Awaited<ReturnType<typeof mintDevice>>;

/** Makes a resource of each kind. @returns the path of its download */
const KINDS: Readonly<Record<string, (device: Device) => Promise<string>>> = {
  document: async ({ owner, locationId }) => {
    const { id } = await uploadDocument(owner.token, locationId, { fileName: "a.txt", bytes: "hello" });
    return `/v1/documents/${id}/download`;
  },
  capture: async ({ camera, locationId }) => {
    const { id } = await mintImage(camera, locationId, { capturedAt: Date.now() - 60_000 });
    return `/v1/camera-captures/${id}/download`;
  },
  thumbnail: async (device) => `${await KINDS.capture?.(device)}?thumbnail=true`,
  "rejected image": async (device) => {
    const { operationId } = await upload(device, words("not an image"));
    return `/v1/cameras/${device.camera.id}/rejected-captures/${operationId}/download`;
  },
  logo: async ({ organizationId, owner }) => {
    const file = { fileName: "mark.svg", bytes: MARK, contentType: "image/svg+xml" };
    await uploadAsset(owner.token, organizationId, "logo", file);
    return `/v1/orgs/${organizationId}/branding/assets/logo/download?linkType=small`;
  },
};

const at = (url: string, init?: RequestInit) => exports.default.fetch(new Request(url, init));

async function addressFor(token: string, path: string): Promise<string> {
  const answer = await call("GET", path, { token });
  expect(answer.status).toBe(302);
  return answer.headers.get("location") ?? "";
}

/** The answers to a GET, a HEAD and a GET of a range. */
async function answersOf(url: string): Promise<string[]> {
  const asked = [at(url), at(url, { method: "HEAD" }), at(url, { headers: { range: "bytes=0-1" } })];
  return Promise.all(
    asked.map(async (one) => {
      const answer = await one;
      const code = /<Code>(\w+)/.exec(await answer.text())?.[1];
      return [answer.status, ...(code === undefined ? [] : [code])].join(" ");
    }),
  );
}

const SHOWN = ["200", "200", "206"];
const GONE = ["404 NoSuchKey", "404", "404 NoSuchKey"];

describe.each(Object.entries(KINDS))("the address of a %s", (_, make) => {
  test("shows nothing after its reader was removed, and shows it again to one who returned", async () => {
    const device = await mintDevice();
    const { organizationId, owner } = device;
    const path = await make(device);
    const member = await mintMember(organizationId, "admin");
    const url = await addressFor(member.token, path);
    expect(await answersOf(url)).toEqual(SHOWN);
    const removed = await call("DELETE", `/v1/orgs/${organizationId}/members/${member.userId}`, { token: owner.token });
    expect(removed.status).toBe(204);
    expect(await answersOf(url)).toEqual(GONE);
    await addMember(organizationId, member.userId, "admin");
    expect(await answersOf(url)).toEqual(SHOWN);
  });
});

describe("the address of a document", () => {
  test("ends with the session or the token that asked for it, and with no other", async () => {
    const device = await mintDevice();
    const { owner } = device;
    const path = (await KINDS.document?.(device)) ?? "";
    const session = await mintSession(owner.userId);
    const ofSession = await addressFor(session.token, path);
    const ofToken = await addressFor(owner.token, path);
    expect((await call("DELETE", `/v1/auth/sessions/${session.id}`, { token: session.token })).status).toBe(204);
    expect(await answersOf(ofSession)).toEqual(GONE);
    expect(await answersOf(ofToken)).toEqual(SHOWN);
    await env.DB.prepare("UPDATE access_tokens SET revoked_at = 1 WHERE user_id = ?").bind(owner.userId).run();
    expect(await answersOf(ofToken)).toEqual(GONE);
  });

  test("ends when the document is deleted or moves where its reader sees nothing", async () => {
    const device = await mintDevice();
    const { owner } = device;
    const path = (await KINDS.document?.(device)) ?? "";
    const url = await addressFor(owner.token, path);
    const id = path.split("/")[3];
    expect((await call("DELETE", `/v1/documents/${id}`, owner)).status).toBe(204);
    expect(await answersOf(url)).toEqual(GONE);
  });

  test("names its reader under the signature: another reader does not fit", async () => {
    const device = await mintDevice();
    const path = (await KINDS.document?.(device)) ?? "";
    const url = new URL(await addressFor(device.owner.token, path));
    for (const change of [
      (query: URLSearchParams) => query.delete("x-access"),
      (query: URLSearchParams) => query.set("x-access", "bm9ib2R5"),
    ]) {
      const forged = new URL(url);
      change(forged.searchParams);
      expect((await answersOf(forged.href))[0]).toBe("403 SignatureDoesNotMatch");
    }
  });
});

test("an address of R2's S3 endpoint has no reader", async () => {
  const settings = {
    ...settingsOf(env),
    OBJECT_STORE: "s3" as const,
    S3_ENDPOINT: "https://account.r2.cloudflarestorage.com",
    S3_BUCKET: "documents",
    S3_ACCESS_KEY_ID: "key-id",
    S3_SECRET_ACCESS_KEY: "secret",
  };
  const reader = { kind: "user" as const, id: "a", userId: "a", expiresAt: null };
  const as = { fileName: "a.txt", contentType: "text/plain", disposition: "inline" as const };
  const access = { reader, kind: "document" as const, ids: ["b"] };
  const { url } = await openObjectStore({ bucket: env.BUCKET, binding: null, s3: {} }, settings).signDownload(
    "a",
    as,
    60,
    access,
  );
  expect([...new URL(url).searchParams.keys()].filter((name) => !/^(X-Amz-|response-)/.test(name))).toEqual([]);
});

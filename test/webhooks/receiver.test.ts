import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import {
  verifyWebhook,
  type WebhookData,
  type WebhookEvent,
  WebhookVerificationError,
} from "../../client/src/webhooks";
import { PAYLOADS } from "../../src/webhooks/payloads";
import { newSecret, signedHeaders } from "../../src/webhooks/secrets";

/*
 * The receiver of the client beside the library of Standard Webhooks. What the one accepts, the other accepts; a request that
 * somebody changed is refused by both.
 */

const event = (data: Record<string, unknown> = { webhookId: "w", name: "Archive" }): string =>
  JSON.stringify({ type: "ping", version: 1, timestamp: new Date().toISOString(), organizationId: "o", data });

const now = (): number => Math.floor(Date.now() / 1_000);

type SignedHeaders = Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>;

/** The headers of a request that the library signs. */
function signedByLibrary(secret: string, body: string, { id = "msg_1", at = now() } = {}): SignedHeaders {
  const signature = new Webhook(secret).sign(id, new Date(at * 1_000), body);
  return { "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": signature };
}

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "accepted",
    (thrown: unknown) => (thrown instanceof WebhookVerificationError ? thrown.code : String(thrown)),
  );

const ourAnswer = (secret: string, headers: Record<string, string>, body: string): Promise<string> =>
  codeOf(verifyWebhook({ secret, headers, body }));

function theirAnswer(secret: string, headers: Record<string, string>, body: string): string {
  try {
    new Webhook(secret).verify(body, headers);
    return "accepted";
  } catch (thrown) {
    return String(thrown);
  }
}

const texts = fc.string({ unit: "grapheme", maxLength: 60 });
const ids = fc.stringMatching(/^[\x21-\x7e]{1,60}$/);

describe("beside the library of Standard Webhooks", () => {
  test("each accepts what the other signs, with the same event", async () => {
    await fc.assert(
      fc.asyncProperty(texts, ids, async (name, id) => {
        const secret = newSecret();
        const body = event({ name, webhookId: id });
        const headers = signedByLibrary(secret, body, { id });
        expect(await verifyWebhook({ secret, headers, body })).toEqual(JSON.parse(body));
        const own = await signedHeaders([secret], id, Date.now(), body);
        expect(new Webhook(secret).verify(body, own)).toEqual(await verifyWebhook({ secret, headers: own, body }));
      }),
    );
  });

  /** The same bytes in another text: the last character before the padding has two bits that nothing uses. */
  const otherForm = (signature: string): string =>
    signature.replace(/(.)=$/, (_, last: string) => `${String.fromCharCode(last.charCodeAt(0) + 1)}=`);

  /** Every request here was genuine before its change. */
  const MUTATIONS: Record<string, (headers: SignedHeaders, body: string) => [Record<string, string>, string]> = {
    "another id": (headers, body) => [{ ...headers, "webhook-id": "msg_2" }, body],
    "another time": (headers, body) => [{ ...headers, "webhook-timestamp": String(now() + 1) }, body],
    "a time that is no number": (headers, body) => [{ ...headers, "webhook-timestamp": "today" }, body],
    "an old time": (headers, body) => [{ ...headers, "webhook-timestamp": String(now() - 3_600) }, body],
    "a later time": (headers, body) => [{ ...headers, "webhook-timestamp": String(now() + 3_600) }, body],
    "a space after the body": (headers, body) => [headers, `${body} `],
    "another letter in the body": (headers, body) => [headers, body.replace("ping", "pong")],
    "an empty body": (headers) => [headers, ""],
    "no id": ({ "webhook-id": _, ...headers }, body) => [headers, body],
    "no time": ({ "webhook-timestamp": _, ...headers }, body) => [headers, body],
    "no signature": ({ "webhook-signature": _, ...headers }, body) => [headers, body],
    "an empty signature": (headers, body) => [{ ...headers, "webhook-signature": "" }, body],
    "no version of the signature": (headers, body) => [
      { ...headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "") },
      body,
    ],
    "another version of the signature": (headers, body) => [
      { ...headers, "webhook-signature": headers["webhook-signature"].replace("v1,", "v1a,") },
      body,
    ],
    "a signature without its end": (headers, body) => [
      { ...headers, "webhook-signature": headers["webhook-signature"].replace(/=$/, "") },
      body,
    ],
    "a signature in another form of base64": (headers, body) => [
      { ...headers, "webhook-signature": otherForm(headers["webhook-signature"]) },
      body,
    ],
    "a signature in other letters": (headers, body) => [
      { ...headers, "webhook-signature": headers["webhook-signature"].toUpperCase() },
      body,
    ],
  };

  test.each(Object.keys(MUTATIONS))("both refuse %s", async (mutation) => {
    const secret = newSecret();
    const genuine = event();
    const before = signedByLibrary(secret, genuine);
    expect([await ourAnswer(secret, before, genuine), theirAnswer(secret, before, genuine)]).toEqual([
      "accepted",
      "accepted",
    ]);
    const [headers, body] = MUTATIONS[mutation]?.(before, genuine) ?? expect.fail();
    expect(await ourAnswer(secret, headers, body)).toMatch(/^(?:missing|malformed)-header$|^too-|^wrong-signature$/);
    expect(theirAnswer(secret, headers, body)).not.toBe("accepted");
  });

  test("both refuse each changed character of each part", async () => {
    const secret = newSecret();
    const body = event();
    const headers = signedByLibrary(secret, body);
    const changed = (text: string, at: number): string =>
      `${text.slice(0, at)}${text[at] === "7" ? "8" : "7"}${text.slice(at + 1)}`;
    const places: [part: keyof SignedHeaders | "body", at: number][] = [
      ...[...headers["webhook-signature"]].map((_, at) => ["webhook-signature", at] as const),
      ...[...body].map((_, at) => ["body", at] as const),
    ].map(([part, at]) => [part, at]);
    for (const [part, at] of places) {
      const given = part === "body" ? headers : { ...headers, [part]: changed(headers[part], at) };
      const sent = part === "body" ? changed(body, at) : body;
      expect([part, at, await ourAnswer(secret, given, sent)]).toEqual([part, at, "wrong-signature"]);
      expect([part, at, theirAnswer(secret, given, sent)]).not.toEqual([part, at, "accepted"]);
    }
  });

  test("both accept either secret of a rotation, and neither another secret", async () => {
    const [present, former, other] = [newSecret(), newSecret(), newSecret()];
    const body = event();
    const headers = await signedHeaders([present, former], "msg_1", Date.now(), body);
    for (const secret of [present, former]) {
      expect(await ourAnswer(secret, headers, body)).toBe("accepted");
      expect(theirAnswer(secret, headers, body)).toBe("accepted");
    }
    expect(await ourAnswer(other, headers, body)).toBe("wrong-signature");
    expect(theirAnswer(other, headers, body)).not.toBe("accepted");
  });
});

describe("a receiver", () => {
  const secret = newSecret();
  const body = event();

  test("knows several secrets, while it changes from the former one to the new one", async () => {
    const headers = signedByLibrary(secret, body);
    expect(await codeOf(verifyWebhook({ secret: [newSecret(), secret], headers, body }))).toBe("accepted");
    expect(await codeOf(verifyWebhook({ secret: [newSecret(), newSecret()], headers, body }))).toBe("wrong-signature");
    expect(await codeOf(verifyWebhook({ secret: [], headers, body }))).toBe("wrong-signature");
  });

  test("takes headers and bodies of fetch and of Node", async () => {
    const headers = signedByLibrary(secret, body);
    const titled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const bytes = new TextEncoder().encode(body);
    for (const given of [headers, titled, new Headers(headers)])
      for (const raw of [body, bytes, bytes.buffer, Buffer.from(body)])
        expect(await codeOf(verifyWebhook({ secret, headers: given, body: raw }))).toBe("accepted");
    const twice = { ...headers, "webhook-id": ["msg_1", "msg_1"] };
    expect(await codeOf(verifyWebhook({ secret, headers: twice, body }))).toBe("missing-header");
  });

  test("verifies the bytes themselves, also those that are no UTF-8", async () => {
    const headers = signedByLibrary(secret, "\ufffd");
    expect(await codeOf(verifyWebhook({ secret, headers, body: Uint8Array.of(0xff) }))).toBe("wrong-signature");
  });

  test.each([
    [-301, "too-old"],
    [-290, "accepted"],
    [290, "accepted"],
    [310, "too-new"],
  ])("of a request at %i seconds from now: %s", async (seconds, code) => {
    const headers = signedByLibrary(secret, body, { at: now() + seconds });
    expect(await ourAnswer(secret, headers, body)).toBe(code);
  });

  test("chooses how old a request may be", async () => {
    const headers = signedByLibrary(secret, body, { at: now() - 60 });
    expect(await codeOf(verifyWebhook({ secret, headers, body, toleranceSeconds: 30 }))).toBe("too-old");
    expect(await codeOf(verifyWebhook({ secret, headers, body, toleranceSeconds: 90 }))).toBe("accepted");
  });

  test("says that a signed body is no event", async () => {
    for (const text of ["", "{", "null", "[]", '"ping"', '{"type":"ping"}', '{"type":1,"data":{}}'])
      expect(await ourAnswer(secret, signedByLibrary(secret, text), text)).toBe("malformed-body");
  });

  test.each(["", "whsec_", "whsec_not base64", "whsec_YWJj="])("says that %j is no secret", async (wrong) => {
    expect(await ourAnswer(wrong, signedByLibrary(secret, body), body)).toContain("TypeError: The secret of a webhook");
  });
});

/* The types of the client, which imports nothing of the service, are those that the service sends. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Sent = { [Type in keyof typeof PAYLOADS]: z.infer<(typeof PAYLOADS)[Type]> };
type Differences = {
  [Type in keyof Sent | keyof WebhookData]: Same<Sent[Type], WebhookData[Type]> extends true ? never : Type;
}[keyof Sent | keyof WebhookData];
const areSame: Same<Differences, never> = true;

test("an event is typed by its type", () => {
  const read = (given: WebhookEvent): number | string | null =>
    given.type === "document.uploaded" ? given.data.version : given.type === "ping" ? given.data.webhookId : null;
  const given = JSON.parse(event()) as WebhookEvent;
  expect([areSame, read(given)]).toEqual([true, "w"]);
  expect(Object.keys(PAYLOADS)).toContain(given.type);
});

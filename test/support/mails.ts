import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect } from "vitest";
import { z } from "zod";
import { arrivalSchema, mailAddressSchema } from "../../src/documents/arrivals/addresses";
import { documents } from "../../src/documents/tables";
import worker from "../../src/worker";
import { expectJson } from "./call";
import { mintPlace, type Person } from "./factories";
import { eventually } from "./patience";
import { testDatabase } from "./statements";

/* Mails that come to the Worker, and what became of them. `mail-programs.ts` has mails as programs write them. */

export const ADDRESS_PATH = (locationId: string, more = ""): string =>
  `/v1/spatial/locations/${locationId}/mail-address${more}`;

export interface MailPlace {
  organizationId: string;
  locationId: string;
  owner: Person;
  /** The mail address of the location. */
  to: string;
}

/** A location with a mail address. Its rules are those of `rules`; without senders, the owner may send. */
export async function mintMailPlace(rules: Record<string, unknown> = {}): Promise<MailPlace> {
  const { organizationId, owner, locationId } = await mintPlace();
  const { address: to } = await expectJson(mailAddressSchema, 201, "POST", ADDRESS_PATH(locationId), {
    token: owner.token,
    body: rules,
  });
  return { organizationId, locationId, owner, to };
}

export const lines = (text: string): string => text.replace(/\r?\n/g, "\r\n");

interface Delivery {
  to: string;
  from: string;
  raw: string | Uint8Array;
  /** Bindings and variables in addition to the default ones. */
  bindings?: Record<string, unknown>;
}

/** Delivers a mail as Email Routing does. @returns the sentence with which it was rejected; null if it was not */
export async function deliver({ to, from, raw, bindings = {} }: Delivery): Promise<string | null> {
  const bytes = typeof raw === "string" ? new TextEncoder().encode(lines(raw)) : raw;
  let rejected: string | null = null;
  const message = {
    ...{ from, to, rawSize: bytes.length, headers: new Headers() },
    // In small chunks, as from a network.
    raw: new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 64 * 1024) controller.enqueue(bytes.slice(at, at + 64 * 1024));
        controller.close();
      },
    }),
    setReject(reason: string) {
      rejected = reason;
    },
    forward: () => Promise.reject(new Error("nothing is forwarded")),
    reply: () => Promise.reject(new Error("nothing is answered here")),
  } satisfies ForwardableEmailMessage;
  const execution = createExecutionContext();
  await worker.email(message, { ...env, ...bindings }, execution);
  await waitOnExecutionContext(execution);
  return rejected;
}

/** The mails that came to a location, newest first, as its managers see them. */
export const arrivalsOf = async ({ locationId, owner }: Pick<MailPlace, "locationId" | "owner">) =>
  (
    await expectJson(z.object({ items: z.array(arrivalSchema) }), 200, "GET", ADDRESS_PATH(locationId, "/arrivals"), {
      token: owner.token,
    })
  ).items;

/** Waits until every mail of a location is filed or refused. */
export async function settled(place: Pick<MailPlace, "locationId" | "owner">) {
  let all: Awaited<ReturnType<typeof arrivalsOf>> = [];
  await eventually(async () => {
    all = await arrivalsOf(place);
    expect(all.filter(({ status }) => status === "waiting")).toEqual([]);
  });
  return all;
}

/** The documents of a location, in the order of their making. */
export const documentsAt = (locationId: string) =>
  testDatabase().select().from(documents).where(eq(documents.locationId, locationId)).orderBy(documents.id);

export const namesAt = async (locationId: string): Promise<string[]> =>
  (await documentsAt(locationId)).map(({ fileName }) => fileName);

let mails = 0;

/** A plain mail with these attachments as base64. */
export function mailOf(
  from: string,
  {
    subject = "Report",
    attachments = [],
    headers = "",
  }: {
    subject?: string;
    attachments?: readonly { name: string; type: string; text: string }[];
    headers?: string;
  } = {},
): string {
  const parts = attachments.map(
    ({ name, type, text }) =>
      `--part\nContent-Type: ${type}; name="${name}"\nContent-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: base64\n\n${btoa(text)}\n`,
  );
  return `${headers}From: <${from}>
To: <in@in.workspace.test>
Subject: ${subject}
Message-ID: <${++mails}.${crypto.randomUUID()}@mail.test>
Date: Mon, 30 Nov 2026 08:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="part"

--part
Content-Type: text/plain; charset=utf-8

Please file this.
${parts.join("")}--part--
`;
}

/** The field that the receiving server adds. */
export const VERIFIED = "Authentication-Results: mx.cloudflare.net; dkim=pass header.d=x.test; dmarc=pass; spf=pass\n";

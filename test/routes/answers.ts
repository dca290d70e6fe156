import { asc, eq } from "drizzle-orm";
import { expect } from "vitest";
import { z } from "zod";
import { auditEntries } from "../../src/access/tables";
import { PROBLEMS } from "../../src/platform/errors";
import { call } from "../support/call";
import { testDatabase } from "../support/statements";
import { type Built, idsOf, methodOf, pathOf, type RouteRow } from "./row";
import { SECRET } from "./world";

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export interface Sent {
  /** The whole Authorization header; empty for none. */
  authorization?: string;
  token?: string;
  headers?: Record<string, string>;
  /** Sent unchanged instead of the request's body. */
  rawBody?: string;
  /** Bindings in addition to the default ones. */
  bindings?: Record<string, unknown>;
}

/** Sends a row's request. */
export async function send(
  row: RouteRow,
  built: Built,
  { authorization, token, headers, rawBody, bindings }: Sent,
): Promise<Answer> {
  const bearer = token === undefined ? authorization : `Bearer ${token}`;
  const response = await call(methodOf(row), pathOf(row, built), {
    body: rawBody ?? built.body,
    headers: { ...built.headers, ...headers, ...(bearer ? { authorization: bearer } : {}) },
    ...(bindings && { bindings }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string().min(10),
  instance: z.string(),
  code: z.string(),
  requestId: z.string(),
  currentRevision: z.int().optional(),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
});
type Problem = z.infer<typeof problem>;

/** Checks the headers that every answer has. @param framedBy pages that may show the answer in a frame */
export function expectGuarded({ headers }: Answer, framedBy: "none" | "self" = "none"): void {
  expect(headers.get("x-request-id")).toMatch(/^[A-Za-z0-9._-]{8,64}$/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("content-security-policy")).toContain(`frame-ancestors '${framedBy}'`);
  expect(headers.get("strict-transport-security")).not.toBeNull();
  expect(headers.get("cache-control")).not.toBeNull();
}

/** Checks that an answer is a problem document with this status and code. */
export function expectRefusal(answer: Answer, status: number, code?: string): Problem {
  expect([answer.status, answer.text]).toEqual([status, answer.text]);
  expectGuarded(answer);
  const { headers } = answer;
  expect(headers.get("content-type")).toBe("application/problem+json");
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.has("www-authenticate")).toBe(status === 401);
  const body = problem.parse(JSON.parse(answer.text));
  expect(body.requestId).toBe(headers.get("x-request-id"));
  const [codeStatus, title] = PROBLEMS[body.code as keyof typeof PROBLEMS] ?? [];
  expect(body).toMatchObject({ type: `urn:problem:${body.code}`, title, status: codeStatus });
  expect(body.status).toBe(status);
  if (code !== undefined) expect(body.code).toBe(code);
  return body;
}

/** Checks that an answer does not name the resource of the request. `instance` repeats the path of the request. */
export function expectNothingTold(answer: Answer, built: Built): void {
  const told = answer.text.replace(/"instance":"[^"]*"/, "");
  expect(told).not.toContain(SECRET);
  for (const id of idsOf(built)) expect(told).not.toContain(id);
}

/** A refusal without the fields that differ in each call, to compare absent with hidden resources. */
export function essence({ status, headers, text }: Answer): unknown {
  const kept = [...headers].filter(
    ([name]) => !["x-request-id", "x-bookmark", "date", "content-length"].includes(name),
  );
  return { status, headers: kept, text: text.replace(/"(instance|requestId)":"[^"]*"/g, "") };
}

/** The audit actions with an answer's request id, in alphabetical order. */
export async function auditedBy({ headers }: Answer): Promise<string[]> {
  const rows = await testDatabase()
    .select({ action: auditEntries.action })
    .from(auditEntries)
    .where(eq(auditEntries.requestId, headers.get("x-request-id") ?? ""))
    .orderBy(asc(auditEntries.action));
  return rows.map(({ action }) => action);
}

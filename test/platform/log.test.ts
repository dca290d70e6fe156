import { sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { newId } from "../../src/platform/ids";
import { describeFailure } from "../../src/platform/log";
import { suggestionsResponse } from "../../src/search/schemas";
import { searchAs } from "../search/searching";
import { type CallOptions, call, expectJson } from "../support/call";
import { uploadDocument } from "../support/documents";
import { endedJobs } from "../support/jobs";
import { PASSWORD, register, tryLogin, tryRefresh } from "../support/sessions";
import { testDatabase } from "../support/statements";

afterEach(() => {
  vi.restoreAllMocks();
});

/** All log lines from here on, one for each event. */
function listen(): string[] {
  const lines: string[] = [];
  for (const level of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, level).mockImplementation((...said: unknown[]) => void lines.push(said.map(String).join(" ")));
  return lines;
}

const made = z.looseObject({ id: z.string() });
const withToken = z.looseObject({ id: z.string(), token: z.string() });
const invited = z.looseObject({ invitation: z.looseObject({ token: z.string() }) });

/** A word that no other text contains. */
const secretWord = (): string => `zinnwaldite${newId().replaceAll("-", "")}`;

test("no log line contains a secret, a token, a term, a name or an address", async () => {
  const lines = listen();
  const [name, term, text, file] = [secretWord(), secretWord(), secretWord(), secretWord()];
  const [folder, guest] = [secretWord(), secretWord()];
  const { accessToken, refreshToken, user } = await register({ displayName: name });
  await tryLogin(user.email, PASSWORD);
  await tryLogin(user.email, `${PASSWORD}, and wrong`);
  const renewed = (await (await tryRefresh(refreshToken)).json()) as { refreshToken: string };
  const post = <T extends z.ZodType>(schema: T, path: string, body: object, token: string, status = 201) =>
    expectJson(schema, status, "POST", path, { token, body, headers: { "idempotency-key": `key-${term}-${newId()}` } });
  const { token } = await post(withToken, "/v1/auth/tokens", { name }, accessToken);
  const { id: organizationId } = await post(made, "/v1/orgs", { name }, token);
  const { invitation } = await post(
    invited,
    `/v1/orgs/${organizationId}/members`,
    { email: `${guest}@people.test`, role: "guest" },
    token,
  );
  const { id: clusterId } = await post(made, "/v1/spatial/clusters", { organizationId, name }, token);
  const place = { clusterId, name, description: text, address: name };
  const { id: locationId } = await post(made, "/v1/spatial/locations", place, token);
  const bytes = `${text} in a sentence`;
  const document = await uploadDocument(token, locationId, { fileName: `${file}.txt`, path: folder, bytes });
  await uploadDocument(token, locationId, { fileName: `${file}.pdf`, path: folder, bytes: `%PDF-1.7 ${text}` });
  for (const kind of ["extract-document", "index-document", "index-asset", "announce"] as const)
    await endedJobs(organizationId, kind);
  const { searchId } = await searchAs(token, `${term} ${text}`);
  await expectJson(suggestionsResponse, 200, "POST", "/v1/search/suggestions", { token, body: { term } });
  await call("POST", "/v1/search/interactions", {
    token,
    body: { searchId, action: "QueryReformulated", reformulatedTerm: term },
  });
  const get = (path: string, more: CallOptions = {}) => call("GET", path, { token, ...more });
  await get(`/v1/documents/${document.id}/download`);
  await get(`/v1/spatial/locations/${locationId}/documents?path=${folder}&cursor=${term}`);
  await get(`/v1/${term}/${file}?term=${term}`);
  await get(`/v1/orgs/${name}`, { headers: { "x-request-id": "a-request-of-mine" } });
  await call("POST", `/v1/orgs?${term}`, { token, body: `{"name": "${name}` });
  await call("PATCH", `/v1/documents/${document.id}`, { token, body: { fileName: `${secretWord()}/../${file}` } });
  await call("DELETE", `/v1/documents/${document.id}?purge=true`, { token });
  await endedJobs(organizationId, "delete-tree");

  const told = lines.join("\n");
  const [, , secret = ""] = token.split(".");
  const kept = {
    PASSWORD,
    accessToken,
    refreshToken,
    renewed: renewed.refreshToken,
    secret,
    invited: invitation.token,
  };
  for (const [what, value] of Object.entries({ ...kept, name, term, text, file, folder, guest, email: user.email }))
    expect(told.includes(value), what).toBe(false);
  expect(told).toContain('"event":"job.slice"');
  expect(told).toMatch(
    /"event":"request","method":"GET","route":"[^"]+","status":400,"ms":\d+,"requestId":"a-request-of-mine","workspace":null,"caller":"token"/,
  );
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), event: expect.any(String) });
});

test("a database error is described without the values of its statement", async () => {
  const secret = "a-secret\nparams: of two lines";
  const thrown: unknown = await testDatabase()
    .run(sql`INSERT INTO nowhere VALUES (${secret})`)
    .catch((failure: unknown) => failure);
  const described = describeFailure(new Error("outer", { cause: thrown }));
  expect(described.error).toContain("INSERT INTO nowhere");
  for (const text of [JSON.stringify(described), JSON.stringify(describeFailure(thrown))]) {
    expect(text).toContain("    at ");
    expect(text).not.toMatch(/a-secret|two lines/);
  }
  expect(describeFailure(thrown).error).toContain("no such table");
});

import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { jobHandlers } from "../../src/job-handlers";
import { newId } from "../../src/platform/ids";
import { consumeJobs } from "../../src/platform/jobs/consume";
import { jobMessage } from "../../src/platform/jobs/queues";
import { log, traceOf, withOrigin } from "../../src/platform/log";
import { HubShard } from "../../src/worker";
import { call, expectJson } from "../support/call";
import { mintDevice, upload } from "../support/device";
import { uploadDocument } from "../support/documents";
import { addMember, mintLocation, mintOrganization, mintPerson } from "../support/factories";
import { HubClient } from "../support/hub";
import { insertJob } from "../support/job-rows";
import { systemContext } from "../support/jobs";
import { eventually } from "../support/patience";
import { mintSignedIn } from "../support/sessions";
import { asStranger, sharedSite } from "../support/shares";
import { sweepOnce } from "../support/sweeper";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Every line of the log has these fields. */
const lineSchema = z.looseObject({
  level: z.enum(["info", "warn", "error"]),
  event: z.string(),
  requestId: z.string().regex(/^[\w.-]{8,64}$/),
  workspace: z.uuid().nullable(),
  caller: z.enum(["person", "token", "device", "share-link", "anonymous", "job", "service"]),
  trace: z
    .string()
    .regex(/^[\da-f]{32}$/)
    .optional(),
});
type Line = z.infer<typeof lineSchema>;

/** The lines of the log from here on. */
function listen(): string[] {
  const lines: string[] = [];
  for (const level of ["info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(line));
  return lines;
}

const read = (lines: readonly string[]): Line[] => lines.map((line) => lineSchema.parse(JSON.parse(line)));
const ofRequest = (lines: readonly string[], requestId: string) =>
  read(lines).filter((line) => line.requestId === requestId);

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`;

test("every line of a request, a job and a timer says which request, workspace and kind of caller it is about", async () => {
  const lines = listen();
  const site = await sharedSite();
  const { id: organizationId } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  const person = await mintSignedIn();
  await addMember(organizationId, person.userId, "admin");
  const device = await mintDevice();
  const asked = {
    anonymous: `anonymous-${newId()}`,
    person: `person-${newId()}`,
    token: `token-${newId()}`,
    device: `device-${newId()}`,
    "share-link": `share-link-${newId()}`,
  };
  const as = (caller: keyof typeof asked) => ({ headers: { "x-request-id": asked[caller] } });
  await call("GET", `/v1/orgs/${organizationId}`, as("anonymous"));
  await call("GET", `/v1/orgs/${organizationId}`, { token: person.token, ...as("person") });
  await call("GET", `/v1/spatial/locations/${site.locationId}`, { token: site.owner.token, ...as("token") });
  await call("GET", "/v1/camera-ingestion/operations?captureId=none", { token: device.token, ...as("device") });
  await asStranger(site.link.token, "", { "x-request-id": asked["share-link"] });
  await upload(device);
  await uploadDocument(person.token, locationId, { fileName: "plan.txt", bytes: "a plan" });
  await insertJob({ kind: "index-asset", payload: { nothing: "known" }, tenantId: organizationId, sentAt: 0 });
  await sweepOnce();
  await eventually(() => {
    const failed = read(lines).find(({ event, workspace }) => event === "job.failed" && workspace === organizationId);
    expect(failed).toMatchObject({ caller: "job", requestId: "asked-for-it", kind: "index-asset" });
  });
  await eventually(() => {
    const slices = read(lines).filter(
      ({ event, workspace }) => event === "job.slice" && workspace === device.organizationId,
    );
    expect(slices.map(({ kind }) => kind)).toContain("verify-capture");
  });

  const workspaces = {
    anonymous: null,
    person: organizationId,
    token: site.organizationId,
    device: device.organizationId,
    "share-link": site.organizationId,
  };
  for (const [caller, requestId] of Object.entries(asked))
    expect(ofRequest(lines, requestId).filter(({ event }) => event === "request")).toEqual([
      expect.objectContaining({ caller, workspace: workspaces[caller as keyof typeof asked] }),
    ]);
  for (const { event, caller } of read(lines)) if (event.startsWith("job.")) expect(caller).toBe("job");
});

test("a line without an origin has the fields too", () => {
  const lines = listen();
  log("info", "browser.closed");
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    { level: "info", event: "browser.closed", requestId: null, workspace: null, caller: "service" },
  ]);
  withOrigin(undefined, () => log("info", "browser.closed"));
  expect(read(lines.slice(1))).toMatchObject([{ workspace: null, caller: "service" }]);
});

test("a request that the service tries again inside of itself has one id", async () => {
  const lines = listen();
  const { owner } = await mintOrganization();
  const answer = await call("POST", "/v1/orgs", {
    token: owner.token,
    body: { name: "Twice" },
    headers: { "idempotency-key": `key-${newId()}` },
  });
  const { id } = (await answer.json()) as { id: string };
  const own = ofRequest(lines, answer.headers.get("x-request-id") ?? "").filter(({ event }) => event === "request");
  expect(own.length).toBeGreaterThan(0);
  for (const line of own) expect(line).toMatchObject({ caller: "token", workspace: id });
  expect(read(lines).filter(({ event }) => event === "request")).toEqual(own);
});

test("the trace of a request goes on in the lines of its jobs and of the messages to live connections", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  const client = await HubClient.connect(owner.token);
  expect(await client.join(locationId)).toBeNull();
  const lines = listen();
  vi.spyOn(HubShard.prototype, "deliver").mockRejectedValue(new Error("the shard is gone"));
  const { revision } = await expectJson(
    z.looseObject({ revision: z.int() }),
    200,
    "GET",
    `/v1/spatial/locations/${locationId}`,
    owner,
  );
  const requestId = `traced-${newId()}`;
  await expectJson(z.looseObject({}), 200, "PATCH", `/v1/spatial/locations/${locationId}`, {
    token: owner.token,
    body: { name: "Harbour" },
    headers: { traceparent, "x-request-id": requestId, "if-match": `"${revision}"` },
  });
  await eventually(() => {
    const own = ofRequest(lines, requestId);
    for (const event of ["request", "job.slice", "hub.delivery-failed"])
      expect(own.map((line) => line.event)).toContain(event);
    for (const line of own) expect(line).toMatchObject({ trace: TRACE, workspace: organizationId });
    expect(own.find(({ event }) => event === "hub.delivery-failed")).toMatchObject({ caller: "job" });
  });
  expect(read(lines).filter((line) => line.requestId !== requestId && line.trace !== undefined)).toEqual([]);
  client.close();
});

test.each([
  [traceparent, TRACE],
  [`cc-${TRACE}-00f067aa0ba902b7-01-what-the-future-will-be`, TRACE],
  [`00-${TRACE}-00f067aa0ba902b7-01-more`, undefined],
  [`ff-${TRACE}-00f067aa0ba902b7-01`, undefined],
  [`00-${"0".repeat(32)}-00f067aa0ba902b7-01`, undefined],
  [`00-${TRACE}-${"0".repeat(16)}-01`, undefined],
  [traceparent.toUpperCase(), undefined],
  [`00-${TRACE}-00f067aa0ba902b7`, undefined],
  [`${traceparent}\n{"event":"made-up"}`, undefined],
  ["", undefined],
  [undefined, undefined],
])("the trace of %j is %s", (header, trace) => {
  expect(traceOf(header)).toBe(trace);
});

test("a job runs whatever its message says about a trace", async () => {
  const jobId = newId();
  expect(jobMessage.parse({ jobId, trace: "made up" })).toEqual({ jobId, database: "first", trace: undefined });
  const lines = listen();
  const id = await insertJob({ kind: "expire-requests", requestId: `job-${jobId}` });
  const acknowledged = vi.fn();
  const message = {
    body: { jobId: id, trace: { made: "up" } },
    timestamp: new Date(),
    ack: acknowledged,
    retry: vi.fn(),
  };
  const batch = { queue: "jobs", messages: [message] as unknown as readonly Message[] };
  await consumeJobs(systemContext(), jobHandlers, batch);
  expect(acknowledged).toHaveBeenCalledOnce();
  expect(ofRequest(lines, `job-${jobId}`)).toMatchObject([{ event: "job.slice", caller: "job" }]);
});

test("a hidden workspace stays hidden, whatever the trace", async () => {
  const lines = listen();
  const { id: organizationId } = await mintOrganization();
  const stranger = await mintPerson();
  await call("GET", `/v1/orgs/${organizationId}`, { ...stranger, headers: { traceparent } });
  expect(read(lines).find(({ event }) => event === "request")).toMatchObject({ status: 404, trace: TRACE });
});

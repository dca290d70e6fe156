import { createExecutionContext, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import alerts from "../../docs/how-to/alerts.md?raw";
import { app } from "../../src/app";
import { openContext } from "../../src/compose";
import { jobHandlers } from "../../src/job-handlers";
import { SCHEMA_VERSION } from "../../src/platform/db/schema-version";
import { newId } from "../../src/platform/ids";
import { consumeJobs } from "../../src/platform/jobs/consume";
import { runJob } from "../../src/platform/jobs/run";
import { sweeperOf } from "../../src/platform/jobs/sweep";
import { openMailer } from "../../src/platform/mail";
import { BrowserPool, HubShard, JobSweeper } from "../../src/worker";
import { call } from "../support/call";
import { announce, factsOf, image, mintDevice, viewOf } from "../support/device";
import { mintLocation, mintOrganization, mintPerson } from "../support/factories";
import { failingDatabase } from "../support/hosted/outages";
import { HubClient } from "../support/hub";
import { issue, newIssuerKey } from "../support/issuer";
import { ISSUER_AUDIENCE, issuerUrl } from "../support/issuer-service";
import { insertJob, systemContext } from "../support/job-rows";
import { everyDatabase } from "../support/spread";

/* Each alert of the page, caused once through the service. Its line is what an operator's alert listens to. */

const ALWAYS = () => true;
const away = (message = "Network connection lost.") => failingDatabase(message, ALWAYS).DB;

/** Delivers one message of a queue. */
const deliver = (body: unknown, context = systemContext()) => {
  const message = { body, timestamp: new Date(), ack: vi.fn(), retry: vi.fn() };
  return consumeJobs(context, jobHandlers, { queue: "jobs", messages: [message] as unknown as readonly Message[] });
};

/** Runs a verification whose tries are used up. */
async function failVerification(payload: Record<string, string>): Promise<void> {
  const { id: tenantId } = await mintOrganization();
  const id = await insertJob({ kind: "verify-capture", tenantId, payload, attempts: 99 });
  expect(await runJob(systemContext(), jobHandlers, id)).toBe("failed");
}

const causes: Readonly<Record<string, () => Promise<unknown>>> = {
  "settings.refused": () => call("GET", "/v1/orgs", { vars: { OBJECT_SIGNING_SECRET: "too short" } }),
  "request.failed": async () => {
    const { token } = await mintPerson();
    await call("GET", "/v1/orgs", { token, bindings: { DB: away("D1_ERROR: no such column: name") } });
  },
  "dependency.unavailable": async () => {
    const { token } = await mintPerson();
    await call("GET", "/v1/orgs", { token, bindings: { DB: away() } });
  },
  "database.full": async () => {
    const { token } = await mintPerson();
    const full = failingDatabase("D1_ERROR: Exceeded maximum DB size", (text) => /insert into "org/i.test(text)).DB;
    await call("POST", "/v1/orgs", { token, body: { name: "Harbour" }, bindings: { DB: full } });
  },
  "readyz.failed": () => call("GET", "/readyz", { bindings: { DB: away() } }),
  "readyz.schema-too-old": async () => {
    const rename = (from: string, to: string) =>
      env.DB.prepare("UPDATE d1_migrations SET name = ? WHERE name = ?").bind(to, from).run();
    await rename(SCHEMA_VERSION, "later");
    try {
      await call("GET", "/readyz");
    } finally {
      await rename("later", SCHEMA_VERSION);
    }
  },
  "job.failure-not-handled": () => failVerification({ written: "by another version" }),
  "browser.not-started": () =>
    runInDurableObject(env.BROWSER_POOL.getByName("alerts"), (_, state) => {
      const none = { fetch: async () => new Response("no browser", { status: 500 }) };
      return new BrowserPool(state, { ...env, BROWSER: none as unknown as typeof env.BROWSER }).take(1);
    }),
  "capture.held": () => failVerification({ cameraId: newId(), operationId: newId() }),
  "jobs.sweep-failed": async () => {
    const sweeper = env.JOB_SWEEPER.getByName(sweeperOf(everyDatabase[0]?.[0] ?? ""));
    vi.spyOn(JobSweeper.prototype as unknown as { sweep: () => Promise<never> }, "sweep").mockRejectedValue(
      new Error("D1_ERROR: internal error"),
    );
    await runInDurableObject(sweeper, (_, { storage }) => storage.setAlarm(Date.now() + 1_000_000));
    await runDurableObjectAlarm(sweeper);
  },
  "queue.delivery-failed": async () => {
    const jobId = await insertJob();
    await deliver({ jobId }, openContext({ ...env, DB: away() }, () => {}).context);
  },
  "queue.unknown-database": () => deliver({ jobId: newId(), database: "removed" }),
  "queue.unknown-message": () => deliver("a message of another program"),
  "objects.put-failed": async () => {
    const device = await mintDevice();
    const bytes = image();
    const { uploadUrl, requiredHeaders } = await viewOf(await announce(device, await factsOf(bytes)));
    const put = async () => {
      throw new Error("put: We encountered an internal error. Please try again. (10001)");
    };
    const BUCKET = new Proxy(env.BUCKET, { get: (bucket, name) => (name === "put" ? put : Reflect.get(bucket, name)) });
    const headers = { ...requiredHeaders, "content-length": String(bytes.length) };
    const request = new Request(uploadUrl ?? "", { method: "PUT", headers, body: bytes });
    const answer = await app.fetch(request, { ...env, BUCKET }, createExecutionContext());
    expect(answer.status, await answer.text()).toBe(503);
  },
  "issuer.unavailable": async () => {
    const token = await issue("down", await newIssuerKey("unpublished"), { sub: newId() });
    // An address of keys that no other test has asked: an answer is kept for some time.
    const silent = { issuer: issuerUrl("down"), audience: ISSUER_AUDIENCE, jwksUrl: issuerUrl(`silent-${newId()}`) };
    await call("GET", "/v1/orgs", { token, vars: { OIDC_ISSUERS: JSON.stringify([silent]) } });
  },
  "mail.failed": () => {
    const send = () => Promise.reject(new Error("the mail service does not answer"));
    const mailer = openMailer({ send } as unknown as SendEmail, "service@workspace.test");
    return Promise.resolve(mailer?.({ to: "ann@workspace.test", subject: "A test", text: "A test" }));
  },
  "hub.invocation-failed": async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const { id: locationId } = await mintLocation({ organizationId });
    const client = await HubClient.connect(owner.token);
    vi.spyOn(HubShard.prototype, "enter").mockRejectedValue(new Error("a defect"));
    await client.join(locationId);
    client.close();
  },
};

/** Alerts and values of the status whose own tests cause more than the line. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "backup.overdue": "resilience/backups/nightly.test.ts",
  "jobs.kinds[].oldestWaitingSeconds": "administration/status.test.ts",
  "jobs.kinds[].failures": "administration/status.test.ts",
  "databases[].daysUntilFull": "administration/status.test.ts",
  "databases[].lastSweepAtUtc": "administration/status.test.ts",
  "objectsToPurge.oldestDueSeconds": "administration/status.test.ts",
  "backups.isOverdue": "resilience/backups/nightly.test.ts",
};
const tests = import.meta.glob<string>("../{administration,resilience/backups}/*.test.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

const named = [...alerts.matchAll(/^\| `([\w.[\]-]+)`/gm)].map(([, name = ""]) => name);

test("each alert of the page is caused by a test", () => {
  expect(named.length).toBeGreaterThan(20);
  expect([...Object.keys(causes), ...Object.keys(ELSEWHERE)].sort()).toEqual([...named].sort());
  for (const [name, file] of Object.entries(ELSEWHERE))
    expect(tests[`../${file}`], `${name} in ${file}`).toContain(name.split(".").at(-1));
});

afterEach(() => {
  vi.restoreAllMocks();
});

test.each(Object.keys(causes))("%s is a line of level error", async (event) => {
  const lines: unknown[] = [];
  vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  await causes[event]?.();
  expect(lines).toContainEqual(expect.objectContaining({ level: "error", event }));
});

import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { receiveMail } from "../../../src/documents";
import { mailArrivals } from "../../../src/documents/tables";
import { jobHandlers } from "../../../src/job-handlers";
import { runJob } from "../../../src/platform/jobs/run";
import { jobs } from "../../../src/platform/jobs/tables";
import { MINUTE } from "../../../src/platform/time";
import { ALIVE, type Death, dying, type Process, stepsToDie } from "../../support/deaths";
import { SENDER } from "../../support/mail-programs";
import { lines, type MailPlace, mailOf, mintMailPlace, namesAt } from "../../support/mails";
import { testDatabase } from "../../support/statements";

const db = testDatabase();
const attachments = Array.from({ length: 12 }, (_, n) => ({
  name: "file.txt",
  type: "text/plain",
  text: `Number ${n}`,
}));
const NAMES = ["file.txt", ...Array.from({ length: 11 }, (_, n) => `file (${n + 2}).txt`), "Report.eml"];

/** The server of the sender delivers a mail. */
async function deliver(process: Process, { to }: MailPlace, raw: string): Promise<void> {
  const bytes = new TextEncoder().encode(lines(raw));
  const body = new Response(bytes).body;
  if (body === null) throw new Error("no body");
  await receiveMail(process.open(), {
    ...{ from: SENDER, to, raw: body, rawSize: bytes.length },
    setReject: (reason) => {
      throw new Error(reason);
    },
  });
}

/** Runs the job of the mail until it has ended, or its worker dies. */
async function work(process: Process, { organizationId }: MailPlace): Promise<void> {
  for (let slice = 0; slice < 10; slice++) {
    const all = await db.select().from(jobs).where(eq(jobs.tenantId, organizationId));
    const job = all.find(({ kind }) => kind === "file-arrival");
    if (job === undefined) return;
    await runJob(await process.openAt(organizationId), jobHandlers, job.id);
  }
}

/** A killed worker's lease ends, and the sweeper sends its job again. */
const sweep = ({ organizationId }: MailPlace) =>
  env.DB.prepare("UPDATE jobs SET lease_until = 0, run_at = 0 WHERE tenant_id = ? AND kind = 'file-arrival'")
    .bind(organizationId)
    .run();

async function story(death: Death | null): Promise<number> {
  const place = await mintMailPlace({ senders: ["sender.test"] });
  const raw = mailOf(SENDER, { attachments });
  let isAcknowledged = false;
  const steps = await dying(death, async (process) => {
    await deliver(process, place, raw);
    isAcknowledged = true;
    await work(process, place);
  });
  // The sender's server tries again, unless it was told that the mail was taken.
  if (!isAcknowledged) await deliver(ALIVE, place, raw);
  await sweep(place);
  await work(ALIVE, place);
  expect([death, await namesAt(place.locationId)]).toEqual([death, NAMES]);
  const [arrival, ...others] = await db
    .select()
    .from(mailArrivals)
    .where(eq(mailArrivals.locationId, place.locationId));
  expect([arrival?.status, arrival?.documents, others]).toEqual(["filed", NAMES.length, []]);
  return steps;
}

test(
  "a worker that dies at any step of a mail loses nothing and files nothing twice",
  async () => {
    const steps = await story(null);
    expect(steps).toBeGreaterThan(20);
    for (const [first, when] of (["before", "after"] as const).entries())
      for (const step of stepsToDie(steps, first)) await story({ step, when });
  },
  40 * MINUTE,
);

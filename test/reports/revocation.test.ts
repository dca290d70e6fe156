import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { memberships } from "../../src/access/tables";
import { mintMember, type Person } from "../support/factories";
import { eventually } from "../support/patience";
import { bodyOf, join, newReportSite, reportRow } from "../support/rooms";
import { testDatabase } from "../support/statements";

test("a loss of access takes effect with its answer: later edits are not stored, even before the room is notified", async () => {
  const { owner, organizationId, reportId } = await newReportSite({ body: "" });
  const leaves = await mintMember(organizationId);
  const reads = await mintMember(organizationId);
  const [ada, bob, eve] = [
    await join(owner.token, reportId),
    await join(leaves.token, reportId),
    await join(reads.token, reportId),
  ];
  for (const [n, who] of [bob, eve].entries()) bodyOf(who).insert(0, `before ${n} `);
  await eventually(() => expect(bodyOf(ada).length).toBe(18));
  // The state directly after the answer to the revoking request: the job that notifies the room has not run yet.
  const of = ({ userId }: Person) =>
    and(eq(memberships.organizationId, organizationId), eq(memberships.userId, userId));
  await testDatabase().delete(memberships).where(of(leaves));
  await testDatabase()
    .update(memberships)
    .set({ overrides: { Reports: "Read" } })
    .where(of(reads));
  for (const who of [bob, eve]) for (let n = 0; n < 20; n++) bodyOf(who).insert(0, "after ");
  await eventually(() => expect([bob.closed, eve.told]).toEqual([[4403], [expect.stringMatching(/only read/)]]));
  bodyOf(ada).insert(0, "end ");
  await eventually(async () =>
    expect((await reportRow(reportId)).contentJson).toEqual({ body: bodyOf(ada).toString() }),
  );
  expect(bodyOf(ada).toString()).not.toContain("after");
  expect(bodyOf(ada).toString()).toHaveLength(22);
});

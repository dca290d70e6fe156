import { and, asc, eq, getTableColumns, gt, isNotNull, isNull } from "drizzle-orm";
import { z } from "zod";
import { type Person, personColumns } from "../../access";
import { organizations, users } from "../../access/tables";
import { type Context, inDatabase } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { isHere } from "../../platform/db/residence";
import { DomainError } from "../../platform/errors";
import { complete, continueLater, countQueries, type JobHandler } from "../../platform/jobs/handlers";
import { log } from "../../platform/log";
import { shareMail } from "../messages";
import { invitations } from "../tables";
import { canMailInvitation, type InvitationRow, isFree, linkOf, newToken } from "./invitations";
import { type Kinds, redeemInvitation, waitsFor } from "./redemption";

/** Gives a person a share that has waited for their address. One that cannot be given now goes on waiting. */
async function give(context: Context, kinds: Kinds, row: InvitationRow, person: Person): Promise<void> {
  try {
    await redeemInvitation({ ...context, idempotency: null }, kinds, row, person, isFree(context.now));
  } catch (thrown) {
    const mayWait =
      thrown instanceof DomainError && (thrown.code === "invitation-ended" || thrown.code === "rule-violated");
    if (!mayWait) throw thrown;
    log("info", "waiting-share.not-given", { id: row.id, code: thrown.code });
  }
}

/** The open invitations with their rows, of organizations that are not deleted. */
const selectOpen = ({ workspace }: Context) =>
  workspace
    .select(getTableColumns(invitations))
    .from(invitations)
    .innerJoin(organizations, and(eq(organizations.id, invitations.organizationId), isNull(organizations.deletedAt)));

/**
 * Mails the link of a waiting share. If a person has proven the address meanwhile, the person gets the share. Known and unknown
 * addresses have the same answer before, because only this job looks.
 */
export const mailWaitingShare = (kinds: Kinds): JobHandler<"mail-waiting-share"> => ({
  async run(context, { payload: { invitationId, language } }) {
    const { directory, workspace, mailer, now } = context;
    const [row] = await selectOpen(context).where(
      and(eq(invitations.id, invitationId), isFree(now), isNull(invitations.mailedHash)),
    );
    if (row === undefined) return complete();
    const [person] = await directory
      .select(personColumns)
      .from(users)
      .where(and(eq(users.email, row.email), isNotNull(users.emailVerifiedAt)));
    if (person !== undefined) {
      await give(context, kinds, row, person);
      return complete();
    }
    if (mailer === null || !(await canMailInvitation(context, row.email))) {
      log("warn", "waiting-share.not-mailed", { id: row.id });
      return complete();
    }
    const [organization] = await workspace
      .select({ name: organizations.name })
      .from(organizations)
      .where(eq(organizations.id, row.organizationId));
    const { token, hash } = await newToken(row.organizationId);
    const mail = shareMail(
      language,
      organization?.name ?? "",
      row.target ?? "document",
      row.expiresAt,
      linkOf(context, token),
    );
    if (!(await mailer({ to: row.email, ...mail }))) throw new Error("the mail service did not take the mail");
    return complete(
      beginChange(context, row.organizationId).add(
        workspace
          .update(invitations)
          .set({ mailedHash: hash })
          .where(and(eq(invitations.id, row.id), isNull(invitations.usedAt))),
      ),
    );
  },
});

const stateSchema = z.strictObject({ database: z.int(), after: z.string() }).nullable();

/** Shares that one query of the job reads. */
const PAGE = 50;

/** Gives a person who has proven their address the shares that wait for it, in one database after the other. */
export const giveWaitingShares = (kinds: Kinds): JobHandler<"give-waiting-shares"> => ({
  async run(context, { payload: { userId }, state }) {
    const [person] = await context.directory
      .select(personColumns)
      .from(users)
      .where(and(eq(users.id, userId), isNotNull(users.emailVerifiedAt)));
    if (person === undefined) return complete();
    const { names } = context.databases;
    const isFull = countQueries(context);
    let { database, after } = stateSchema.parse(state) ?? { database: 0, after: "" };
    for (;;) {
      const name = names[database];
      if (name === undefined) return complete();
      const there = inDatabase(context, name);
      const rows = await selectOpen(there)
        .where(and(waitsFor(person.email, context.now), gt(invitations.id, after), isHere(invitations.organizationId)))
        .orderBy(asc(invitations.id))
        .limit(PAGE);
      for (const row of rows) {
        await give(there, kinds, row, person);
        after = row.id;
        if (isFull()) return continueLater({ database, after });
      }
      if (rows.length < PAGE) {
        database++;
        after = "";
      }
    }
  },
});

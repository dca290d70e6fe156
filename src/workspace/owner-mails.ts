import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, isNotNull } from "drizzle-orm";
import { memberships, organizations, removalOwners, removals, users } from "../access/tables";
import type { Context } from "../platform/context";
import type { Change } from "../platform/db/change";
import { inSet } from "../platform/db/statements";
import { complete, continueLater, type JobHandler } from "../platform/jobs/handlers";
import type { JobPayload } from "../platform/jobs/kinds";
import { DEFAULT_LANGUAGE, type ReaderLanguage } from "../platform/languages/languages";
import type { Mail } from "../platform/mail";
import { settingsPath } from "../platform/paths";
import { deletedMail, removedMail } from "./messages";

type About = JobPayload<"mail-owners">;

/** Queues the mails to the owners with this change, if the operator has set up mail. */
export function queueMails({ mailer }: Pick<Context, "mailer">, change: Change, about: About): void {
  if (mailer !== null) change.job("mail-owners", about);
}

/** The last owner who has the mail. */
const stateSchema = z.string().nullable();

/** The mail as of now in a language; null if the organization was restored meanwhile. */
async function compose(
  context: Context,
  { organizationId, about }: About,
  language: ReaderLanguage,
): Promise<Omit<Mail, "to"> | null> {
  const { workspace, directory, settings } = context;
  const link = settings.PUBLIC_BASE_URL + settingsPath("deleted-organizations");
  const [receipt] = await directory.select().from(removals).where(eq(removals.workspaceId, organizationId));
  if (about === "removed") {
    if (receipt?.name == null) return null;
    return removedMail(language, receipt.name, receipt.finishedAt ?? context.now, receipt.contents, link);
  }
  const [row] = await workspace.select().from(organizations).where(eq(organizations.id, organizationId));
  const name = row?.name ?? receipt?.name;
  if (name == null || row?.deletedAt === null) return null;
  const [by] = await directory
    .select({ name: users.displayName })
    .from(users)
    .where(eq(users.id, row?.deletedBy ?? receipt?.deletedBy ?? ""));
  const until = row === undefined || row.removalAt !== null ? null : row.purgeAt;
  return deletedMail(language, name, by?.name ?? null, until, link);
}

/** The next owner with a verified address after this one. Another address may belong to another person. */
async function nextOwner({ workspace, directory }: Context, organizationId: string, after: string) {
  const present = await workspace
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.role, "owner")));
  const former = await directory.select().from(removalOwners).where(eq(removalOwners.workspaceId, organizationId));
  const ids = [...present, ...former].map(({ userId }) => userId);
  const [owner] = await directory
    .select({ id: users.id, email: users.email, language: users.language })
    .from(users)
    .where(and(inSet(users.id, ids), gt(users.id, after), isNotNull(users.emailVerifiedAt)))
    .orderBy(asc(users.id))
    .limit(1);
  return owner;
}

/** Mails each owner that the organization is deleted, or what its removal has removed: one mail in a slice. */
export const mailOwners: JobHandler<"mail-owners"> = {
  async run(context, { payload, state }) {
    const { mailer } = context;
    if (mailer === null) return complete();
    const owner = await nextOwner(context, payload.organizationId, stateSchema.parse(state) ?? "");
    if (owner === undefined) return complete();
    const mail = await compose(context, payload, owner.language ?? DEFAULT_LANGUAGE);
    if (mail === null) return complete();
    if (!(await mailer({ to: owner.email, ...mail }))) throw new Error("the mail service did not take the mail");
    return continueLater(owner.id);
  },
};

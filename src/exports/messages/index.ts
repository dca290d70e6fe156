import { eq } from "drizzle-orm";
import { organizations } from "../../access/tables";
import { type MessagesOf, NOWHERE } from "../../events";
import type { InEachLanguage } from "../../platform/languages/languages";
import { findExport } from "../exports";
import { MESSAGES as de } from "./de";
import { MESSAGES as en } from "./en";
import { MESSAGES as es } from "./es";
import { MESSAGES as fr } from "./fr";

export const MESSAGES: InEachLanguage<typeof en> = { en, de, fr, es };

/** The message for the person who requested an export. */
export const exportMessages: MessagesOf<"workspace-export-ready"> = {
  async "workspace-export-ready"(context, event) {
    const row = await findExport(context, event.exportId);
    if (row === null || row.status !== "ready") return null;
    const { organizationId, userId, id } = row;
    const [organization] =
      organizationId === null
        ? []
        : await context.workspace.select().from(organizations).where(eq(organizations.id, organizationId));
    return {
      type: "export-ready",
      severity: "info",
      text: (language) => ({
        title: MESSAGES[language].ready,
        body: organization?.name ?? MESSAGES[language].ownData,
      }),
      origin: organizationId === null ? null : { type: "organization", id: organizationId, data: { operationId: id } },
      ...NOWHERE,
      organizationId,
      audience: { kind: "users", userIds: [userId] },
      actorUserId: null,
    };
  },
};

import { eq } from "drizzle-orm";
import { type MessagesOf, NOWHERE } from "../../events";
import type { InEachLanguage } from "../../platform/languages/languages";
import { webhooks } from "../tables";
import { MESSAGES as de } from "./de";
import { MESSAGES as en } from "./en";
import { MESSAGES as es } from "./es";
import { MESSAGES as fr } from "./fr";

const MESSAGES: InEachLanguage<typeof en> = { en, de, fr, es };

/** The message for owners and admins about a webhook that was switched off. */
export const webhookMessages: MessagesOf<"webhook-disabled"> = {
  async "webhook-disabled"({ workspace }, { organizationId, webhookId, reason }) {
    const [row] = await workspace.select().from(webhooks).where(eq(webhooks.id, webhookId));
    if (row === undefined) return null;
    return {
      type: "webhook-disabled",
      severity: "error",
      text: (language) => ({
        title: MESSAGES[language].disabled(row.name),
        body: MESSAGES[language].reasons[reason],
      }),
      origin: { type: "organization", id: organizationId, data: { webhookId, reason } },
      ...NOWHERE,
      organizationId,
      audience: { kind: "administrators", organizationId },
      actorUserId: null,
    };
  },
};

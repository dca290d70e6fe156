import { carried, ownedBy } from "../platform/db/carry/declare";
import { webhookDeliveries, webhooks } from "./tables";

/** The secrets are encrypted with a key of the installation. Another installation cannot read them, and switches the webhook off. */
export const webhooksTables = [
  carried(webhooks, { ...ownedBy("organization_id"), secrets: ["secret", "former_secret"] }),
  carried(webhookDeliveries, {
    parent: {
      rows: "webhooks AS parent",
      key: "parent.id",
      where: (workspace: string) => `parent.organization_id = ${workspace}`,
      column: "webhook_id",
    },
  }),
];

import { z } from "zod";
import { deliveryDetailSchema, deliverySchema } from "../../src/webhooks/deliveries/deliveries";
import type { WebhookType } from "../../src/webhooks/payloads";
import { webhookWithSecretSchema } from "../../src/webhooks/subscriptions/subscriptions";
import { expectJson } from "./call";
import type { Person } from "./factories";
import { eventually } from "./patience";
import { RECEIVERS } from "./webhook-receiver";

/** The path of the webhooks of an organization. */
export const hooksPath = (organizationId: string, more = ""): string => `/v1/orgs/${organizationId}/webhooks${more}`;

let receivers = 0;
/** The address of a receiver that no other test has. */
export const newReceiver = (): string => `https://r${++receivers}-${Date.now()}${RECEIVERS}/hook`;

export type Hook = z.infer<typeof webhookWithSecretSchema>;

export const createHook = (
  organizationId: string,
  who: Pick<Person, "token">,
  given: { url: string; types: WebhookType[]; name?: string },
): Promise<Hook> =>
  expectJson(webhookWithSecretSchema, 201, "POST", hooksPath(organizationId), {
    token: who.token,
    body: { name: "Hook", ...given },
  });

export const deliveriesOf = async (organizationId: string, who: Pick<Person, "token">, id: string) =>
  (
    await expectJson(
      z.object({ items: z.array(deliverySchema) }),
      200,
      "GET",
      hooksPath(organizationId, `/${id}/deliveries?limit=100`),
      { token: who.token },
    )
  ).items;

export const deliveryOf = (organizationId: string, who: Pick<Person, "token">, id: string, deliveryId: string) =>
  expectJson(deliveryDetailSchema, 200, "GET", hooksPath(organizationId, `/${id}/deliveries/${deliveryId}`), {
    token: who.token,
  });

/** Waits until a webhook has this number of deliveries that were tried, newest first. */
export async function triedDeliveries(
  organizationId: string,
  who: Pick<Person, "token">,
  id: string,
  count: number,
): Promise<z.infer<typeof deliverySchema>[]> {
  let tried: z.infer<typeof deliverySchema>[] = [];
  await eventually(async () => {
    const all = await deliveriesOf(organizationId, who, id);
    tried = all.filter(({ status, tries }) => status !== "pending" || tries > 0);
    if (tried.length !== count) throw new Error(`${tried.length} of ${count}: ${JSON.stringify(all)}`);
  });
  return tried;
}

import type { AccessFacts } from "../../access";
import { levelAt } from "../../access";
import type { Context } from "../../platform/context";
import { eventSchema } from "../../platform/events";
import type { OutsideResult } from "../../platform/outside";
import { MAX_KEPT_ANSWER_LENGTH } from "../limits";
import { readSubject, type Subject, type WebhookType, writePayload } from "../payloads";
import { signedHeaders, withoutSecrets } from "../secrets";
import type { Answer, Attempt, DeliveryRow, WebhookRow } from "../tables";

/** The name of this service in its requests. */
const USER_AGENT = "document-workspace-webhooks/1";

/** What became of a try. */
export type Verdict =
  | { kind: "succeeded"; body: string; attempt: Attempt; answer: Answer }
  | {
      kind: "failed";
      body: string;
      attempt: Attempt;
      answer: Answer | null;
      /** The pause that the answer asks for, milliseconds; null without one. */
      retryAfterMs: number | null;
      /** The address answered that it is gone. */
      isGone: boolean;
    }
  /** Nothing was sent: the subscriber may not see the subject, or it does not exist any more. */
  | { kind: "withheld"; attempt: Attempt };

/** Whether a person may see the subject of an event now. */
export function maySee(facts: AccessFacts, subject: Subject): boolean {
  const { place, needs, roles } = subject;
  const role = facts.memberships.find(({ organizationId }) => organizationId === place.organizationId)?.role;
  if (roles !== null && (role === undefined || !roles.includes(role))) return false;
  return levelAt(facts, needs.capability, place) >= needs.level;
}

/** The subject of a delivery's event as it is now; null if it is gone. */
export const subjectOf = async (context: Context, row: Pick<DeliveryRow, "event">): Promise<Subject | null> =>
  row.event === null ? null : await readSubject(context, eventSchema.parse(row.event));

/** The body of a request; null if the subscriber may not get it now. */
async function composeBody(
  context: Context,
  webhook: WebhookRow,
  row: DeliveryRow,
  facts: AccessFacts,
): Promise<string | null> {
  if (row.event === null) {
    const data = { webhookId: webhook.id, name: webhook.name };
    return row.body ?? writePayload("ping", webhook.organizationId, row.createdAt, data);
  }
  const subject = await subjectOf(context, row);
  if (subject === null || subject.place.organizationId !== webhook.organizationId || !maySee(facts, subject))
    return null;
  return row.body ?? writePayload(row.type as WebhookType, webhook.organizationId, row.createdAt, subject.data);
}

/** The fault of a result, in the words of the API; null for a success. */
function faultOf(result: OutsideResult): string | null {
  if (result.kind !== "answered") return result.kind === "refused" ? `refused-${result.reason}` : result.reason;
  const { status } = result;
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? "redirect" : "status";
}

/** The text of an answer as it is kept: without controls and secrets. */
const keptText = (text: string): string =>
  withoutSecrets(text.toWellFormed().replace(/(?![\n\t])\p{Cc}/gu, " ")).slice(0, MAX_KEPT_ANSWER_LENGTH);

/** Tries a delivery once. @param facts the access of the subscriber now */
export async function attemptDelivery(
  context: Context,
  webhook: WebhookRow,
  row: DeliveryRow,
  { facts, secrets }: { facts: AccessFacts; secrets: readonly string[] },
): Promise<Verdict> {
  const at = Date.now();
  const body = await composeBody(context, webhook, row, facts);
  if (body === null) return { kind: "withheld", attempt: { at, ms: 0, status: null, fault: "withheld" } };
  const signed = await signedHeaders(secrets, row.id, at, body);
  const headers = { ...signed, "content-type": "application/json", "user-agent": USER_AGENT };
  const result = await context.outside.post(webhook.url, headers, body);
  const status = result.kind === "answered" ? result.status : null;
  const fault = faultOf(result);
  const attempt = { at, ms: Date.now() - at, status, fault };
  const answer =
    result.kind === "answered"
      ? { status: result.status, contentType: result.contentType, body: keptText(result.body) }
      : null;
  if (answer !== null && fault === null) return { kind: "succeeded", body, attempt, answer };
  const retryAfterMs = result.kind === "answered" ? result.retryAfterMs : null;
  return { kind: "failed", body, attempt, answer, retryAfterMs, isGone: status === 410 };
}

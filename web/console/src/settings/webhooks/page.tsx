import { useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { WEBHOOKS } from "#texts/webhooks.ts";
import { dataOf, type Webhook, type WebhookWithSecret } from "../../../../../client/src/index.ts";
import { webhookPath } from "../../../../../src/platform/paths.ts";
import { AddButton } from "../../../../ui/buttons.tsx";
import { useLoaded } from "../../../../ui/loading.ts";
import { useLooks } from "../../../../ui/looking.ts";
import { Alert, CalmCard, Waiting } from "../../../../ui/notice.tsx";
import { PageHead } from "../../../../ui/page-head.tsx";
import { address } from "../../platform/router.ts";
import { api } from "../../platform/session.ts";
import { organization } from "../../platform/workspace.ts";
import { WebhookForm } from "./form.tsx";
import { MadeSecret, stateOf } from "./parts.tsx";
import { WebhookDetail } from "./webhook.tsx";

/** Time between two looks at the states of the webhooks, milliseconds. */
const LOOK_MS = 10_000;

function Line({ webhook }: { webhook: Webhook }) {
  const text = WEBHOOKS;
  const { id, name, url, types, isEnabled } = webhook;
  return (
    <li>
      <span class="grow">
        <a class="strong" href={webhookPath(id)}>
          {name}
        </a>
        <br />
        <span class="small muted">{url}</span>
        <br />
        <span class="small muted nums">
          {COMMON.named(isEnabled ? text.on : text.off, stateOf(webhook))} · {text.events(types.length)}
        </span>
      </span>
    </li>
  );
}

/** The webhooks of the organization. */
function WebhookList({ organizationId }: { organizationId: string }) {
  const text = WEBHOOKS;
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<WebhookWithSecret | null>(null);
  const path = { organizationId };
  // An organization has at most 20 webhooks.
  const { data, error, slow, reload } = useLoaded(`webhooks ${organizationId}`, () =>
    dataOf(api.GET("/v1/orgs/{organizationId}/webhooks", { params: { path, query: { limit: 100 } } })),
  );
  useLooks(LOOK_MS, reload);
  const create = <AddButton label={text.create} onPress={() => setCreating(true)} />;
  const items = data?.items ?? [];
  return (
    <>
      <PageHead title={text.title} lead={text.lead}>
        {items.length > 0 && create}
      </PageHead>
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {data?.items.length === 0 && (
        <CalmCard icon="link" title={text.none} help={text.noneHelp}>
          {create}
        </CalmCard>
      )}
      {items.length > 0 && (
        <ul class="card list">
          {items.map((webhook) => (
            <Line key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      )}
      {creating && (
        <WebhookForm
          title={text.create}
          send={text.send}
          failed={text.createFailed}
          onSend={async (body) => {
            const webhook = await dataOf(api.POST("/v1/orgs/{organizationId}/webhooks", { params: { path }, body }));
            setCreating(false);
            setMade(webhook);
            reload();
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {made && <MadeSecret secret={made.secret} onClose={() => setMade(null)} />}
    </>
  );
}

/** The webhooks of the organization, or the one that the address names. */
export function WebhooksPart() {
  const organizationId = organization.value?.id ?? "";
  const webhookId = address.value.searchParams.get("webhook");
  return webhookId === null ? (
    <WebhookList organizationId={organizationId} />
  ) : (
    <WebhookDetail key={webhookId} organizationId={organizationId} webhookId={webhookId} />
  );
}

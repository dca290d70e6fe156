import { useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { WEBHOOKS } from "#texts/webhooks.ts";
import { dataOf, type Webhook, type WebhookDelivery } from "../../../../../client/src/index.ts";
import { settingsPath } from "../../../../../src/platform/paths.ts";
import { BusyButton } from "../../../../ui/buttons.tsx";
import { Confirm } from "../../../../ui/dialog.tsx";
import { timeOf } from "../../../../ui/format.ts";
import { useLoaded } from "../../../../ui/loading.ts";
import { useLooks } from "../../../../ui/looking.ts";
import { Alert, say, sayFailed, Waiting } from "../../../../ui/notice.tsx";
import { PageHead } from "../../../../ui/page-head.tsx";
import { PagedList } from "../../../../ui/paged-list.tsx";
import { usePages } from "../../../../ui/pages.ts";
import { navigate } from "../../platform/router.ts";
import { api } from "../../platform/session.ts";
import { DeliveryDialog } from "./delivery.tsx";
import { WebhookForm } from "./form.tsx";
import { MadeSecret, stateOf } from "./parts.tsx";
import { typeInWords } from "./words.ts";

const LIST = settingsPath("webhooks");

interface Path {
  organizationId: string;
  webhookId: string;
}

function Delivery({ delivery, onOpen }: { delivery: WebhookDelivery; onOpen: () => void }) {
  const text = WEBHOOKS;
  const { type, status, tries, nextTryAtUtc, createdAtUtc, lastStatus } = delivery;
  const facts = [
    timeOf(createdAtUtc),
    ...(lastStatus === null ? [] : [text.answered(lastStatus)]),
    ...(tries === 0 ? [] : [text.tries(tries)]),
    ...(nextTryAtUtc === null || tries === 0 ? [] : [text.next(timeOf(nextTryAtUtc))]),
  ];
  const name = typeInWords(type);
  return (
    <li>
      <button type="button" class="btn" aria-label={text.show(name, timeOf(createdAtUtc))} onClick={onOpen}>
        {name}
      </button>
      <span class="grow small muted nums">{COMMON.named(text.statuses[status] ?? status, facts.join(" · "))}</span>
    </li>
  );
}

/** Time between two looks at the deliveries, and at ones that are tried soon, milliseconds. */
const [LOOK_MS, SOON_LOOK_MS] = [10_000, 3_000];
/** A try of the next minute is soon, milliseconds. */
const SOON_MS = 60_000;

const isTriedSoon = ({ nextTryAtUtc }: WebhookDelivery): boolean =>
  nextTryAtUtc !== null && Date.parse(nextTryAtUtc) - Date.now() < SOON_MS;

/** The deliveries of a webhook, newest first. `onLook` is called again and again, and makes a new turn. */
function Deliveries({ path, turn, onLook }: { path: Path; turn: number; onLook: () => void }) {
  const text = WEBHOOKS;
  const [opened, setOpened] = useState<string | null>(null);
  const pages = usePages(
    `deliveries ${path.webhookId}`,
    (cursor) =>
      dataOf(
        api.GET("/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries", {
          params: { path, query: { limit: 20, ...(cursor !== undefined && { cursor }) } },
        }),
      ),
    String(turn),
  );
  // A look reads all pages that are shown, so it comes less often with more of them.
  const everyMs = pages.items?.some(isTriedSoon) ? SOON_LOOK_MS : LOOK_MS;
  useLooks(pages.pages === 0 ? null : pages.pages * everyMs, onLook);
  return (
    <section class="card" aria-labelledby="deliveries">
      <div class="list-head">
        <h2 id="deliveries">{text.deliveries}</h2>
        <p class="small muted">{text.deliveriesHelp}</p>
      </div>
      <PagedList
        pages={pages}
        failed={text.deliveriesFailed}
        loading={text.deliveriesLoading}
        none={text.noDeliveries}
        row={(delivery) => <Delivery key={delivery.id} delivery={delivery} onOpen={() => setOpened(delivery.id)} />}
      />
      {opened !== null && (
        <DeliveryDialog
          path={{ ...path, deliveryId: opened }}
          onRepeated={pages.reload}
          onClose={() => setOpened(null)}
        />
      )}
    </section>
  );
}

type Open = "edit" | "rotate" | "remove" | null;

/** The buttons of a webhook, with their windows. */
function Actions(props: { path: Path; webhook: Webhook; onChanged: () => void }) {
  const text = WEBHOOKS;
  const { path, webhook, onChanged } = props;
  const [open, setOpen] = useState<Open>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => setOpen(null);
  const { name, revision, isEnabled } = webhook;
  const change = (body: { isEnabled?: boolean } & Partial<Pick<Webhook, "name" | "url" | "types">>) =>
    dataOf(
      api.PATCH("/v1/orgs/{organizationId}/webhooks/{webhookId}", {
        params: { path },
        body: { ...body, baseRevision: revision },
      }),
    );
  const attempt = async (failed: string, work: () => Promise<unknown>, done: string) => {
    try {
      await work();
      say(done);
    } catch (thrown) {
      sayFailed(failed, thrown);
    }
    onChanged();
  };
  return (
    <>
      <p class="row wrap">
        {isEnabled && (
          <BusyButton
            onPress={() =>
              attempt(
                text.testFailed,
                () => dataOf(api.POST("/v1/orgs/{organizationId}/webhooks/{webhookId}/test", { params: { path } })),
                text.tested,
              )
            }
          >
            {text.test}
          </BusyButton>
        )}
        <button type="button" class="btn" onClick={() => setOpen("edit")}>
          {text.edit}
        </button>
        <BusyButton
          onPress={() => attempt(text.saveFailed, () => change({ isEnabled: !isEnabled }), text.switched(!isEnabled))}
        >
          {isEnabled ? text.switchOff : text.switchOn}
        </BusyButton>
        <button type="button" class="btn" onClick={() => setOpen("rotate")}>
          {text.rotate}
        </button>
        <button type="button" class="btn" onClick={() => setOpen("remove")}>
          {text.remove}
        </button>
      </p>
      {open === "edit" && (
        <WebhookForm
          title={text.editTitle(name)}
          send={text.save}
          failed={text.saveFailed}
          webhook={webhook}
          onSend={async (given) => {
            const changed = await change(given);
            close();
            say(text.saved(changed.name));
            onChanged();
          }}
          onClose={close}
        />
      )}
      {open === "rotate" && (
        <Confirm
          title={text.rotateTitle}
          help={text.rotateHelp}
          send={text.rotate}
          failed={text.rotateFailed}
          onSend={async () => {
            const made = await dataOf(
              api.POST("/v1/orgs/{organizationId}/webhooks/{webhookId}/rotate-secret", { params: { path } }),
            );
            setSecret(made.secret);
            onChanged();
          }}
          onClose={close}
        />
      )}
      {open === "remove" && (
        <Confirm
          title={text.removeTitle(name)}
          help={text.removeHelp}
          send={text.remove}
          failed={text.removeFailed}
          onSend={async () => {
            await dataOf(api.DELETE("/v1/orgs/{organizationId}/webhooks/{webhookId}", { params: { path } }));
            say(text.removed(name));
            navigate(LIST, { replace: true });
          }}
          onClose={close}
        />
      )}
      {secret !== null && <MadeSecret secret={secret} onClose={() => setSecret(null)} />}
    </>
  );
}

/** One webhook with its deliveries. */
export function WebhookDetail(path: Path) {
  const text = WEBHOOKS;
  const { organizationId, webhookId } = path;
  const [turn, setTurn] = useState(0);
  const own = { organizationId, webhookId };
  const { data, error, slow, reload } = useLoaded(`webhook ${organizationId} ${webhookId}`, () =>
    dataOf(api.GET("/v1/orgs/{organizationId}/webhooks/{webhookId}", { params: { path: own } })),
  );
  const changed = () => {
    reload();
    setTurn((before) => before + 1);
  };
  return (
    <>
      <PageHead title={data?.name ?? text.title} lead={data === undefined ? text.lead : data.url}>
        <a class="btn" href={LIST}>
          {text.back}
        </a>
      </PageHead>
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {data && (
        <>
          <div class="card pad stack">
            <p>{COMMON.named(data.isEnabled ? text.on : text.off, stateOf(data))}</p>
            <p>{data.types.map(typeInWords).join(" · ")}</p>
            <p class="small muted">{text.follows(data.subscriber.displayName ?? text.nobody)}</p>
            {data.formerSecretUntilUtc !== null && (
              <p class="small muted">{text.former(timeOf(data.formerSecretUntilUtc))}</p>
            )}
            <Actions path={own} webhook={data} onChanged={changed} />
          </div>
          <Deliveries path={own} turn={turn} onLook={changed} />
        </>
      )}
    </>
  );
}

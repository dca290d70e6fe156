import { COMMON } from "#texts/common.ts";
import { WEBHOOKS } from "#texts/webhooks.ts";
import { dataOf, type WebhookDeliveryDetail } from "../../../../../client/src/index.ts";
import { BusyButton } from "../../../../ui/buttons.tsx";
import { Dialog } from "../../../../ui/dialog.tsx";
import { timeOf } from "../../../../ui/format.ts";
import { useLoaded } from "../../../../ui/loading.ts";
import { useLooks } from "../../../../ui/looking.ts";
import { Alert, say, sayFailed, Waiting } from "../../../../ui/notice.tsx";
import { api } from "../../platform/session.ts";
import { faultInWords, typeInWords } from "./words.ts";

/** Time between two looks at a delivery that waits, milliseconds. */
const LOOK_MS = 3_000;

/** JSON with line breaks; another text as it is. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function Attempts({ attempts }: Pick<WebhookDeliveryDetail, "attempts">) {
  const text = WEBHOOKS;
  return (
    <>
      <h3>{text.attempts}</h3>
      <ol>
        {attempts.map(({ atUtc, durationMs, status, fault }) => (
          <li key={atUtc} class="small nums">
            {text.attempt(timeOf(atUtc), durationMs)}
            {status !== null && ` · ${text.answered(status)}`}
            {fault !== null && ` · ${faultInWords(fault)}`}
          </li>
        ))}
      </ol>
    </>
  );
}

function Contents({ delivery }: { delivery: WebhookDeliveryDetail }) {
  const text = WEBHOOKS;
  const { attempts, requestBody, answer } = delivery;
  return (
    <>
      {attempts.length > 0 && <Attempts attempts={attempts} />}
      <h3>{text.request}</h3>
      {requestBody === null ? <p class="small muted">{text.noRequest}</p> : <pre>{readable(requestBody)}</pre>}
      <h3>{text.answer}</h3>
      {answer === null ? (
        <p class="small muted">{text.noAnswer}</p>
      ) : (
        <>
          <p class="small muted">{COMMON.named(text.answered(answer.status), answer.contentType ?? "")}</p>
          {answer.body !== "" && <pre>{readable(answer.body)}</pre>}
        </>
      )}
    </>
  );
}

/** One delivery with its tries, its request and its answer. */
export function DeliveryDialog(props: {
  path: { organizationId: string; webhookId: string; deliveryId: string };
  onRepeated: () => void;
  onClose: () => void;
}) {
  const text = WEBHOOKS;
  const { path, onRepeated, onClose } = props;
  const { data, error, slow, reload } = useLoaded(`delivery ${path.deliveryId}`, () =>
    dataOf(api.GET("/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{deliveryId}", { params: { path } })),
  );
  useLooks(data?.status === "pending" ? LOOK_MS : null, reload);
  const repeat = async () => {
    try {
      await dataOf(
        api.POST("/v1/orgs/{organizationId}/webhooks/{webhookId}/deliveries/{deliveryId}/repeat", {
          params: { path },
        }),
      );
      say(text.repeated);
      onRepeated();
      onClose();
    } catch (thrown) {
      sayFailed(text.repeatFailed, thrown);
    }
  };
  return (
    <Dialog title={text.deliveryTitle(data === undefined ? "…" : typeInWords(data.type))} onClose={onClose}>
      <div class="stack webhook-delivery">
        {error !== undefined && <Alert title={text.deliveryFailed} error={error} onRetry={reload} />}
        {slow && data === undefined && <Waiting text={text.deliveryLoading} />}
        {data && <Contents delivery={data} />}
        <p class="row buttons wrap">
          <button type="button" class="btn" onClick={onClose}>
            {text.close}
          </button>
          {data && <BusyButton onPress={repeat}>{text.repeat}</BusyButton>}
        </p>
      </div>
    </Dialog>
  );
}

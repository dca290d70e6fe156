import { WEBHOOKS } from "#texts/webhooks.ts";
import type { Webhook } from "../../../../../client/src/index.ts";
import { Secret } from "../../../../ui/copy.tsx";
import { Dialog } from "../../../../ui/dialog.tsx";
import { timeOf } from "../../../../ui/format.ts";

/** How a webhook works now, in words. */
export function stateOf({ isEnabled, disabledReason, failingSinceUtc, lastSuccessAtUtc }: Webhook): string {
  const text = WEBHOOKS;
  if (!isEnabled) return disabledReason === null ? text.off : (text.reasons[disabledReason] ?? text.off);
  if (failingSinceUtc !== null) return text.failing(timeOf(failingSinceUtc));
  return lastSuccessAtUtc === null ? text.unused : text.works(timeOf(lastSuccessAtUtc));
}

/** The secret of a webhook, which is shown once. */
export function MadeSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const text = WEBHOOKS;
  return (
    <Dialog title={text.madeTitle} onClose={onClose}>
      <div class="stack">
        <p>{text.madeHelp}</p>
        <Secret text={secret} label={text.secret} done={text.done} onDone={onClose} />
      </div>
    </Dialog>
  );
}

import { useState } from "preact/hooks";
import { WEBHOOKS } from "#texts/webhooks.ts";
import type { Webhook } from "../../../../../client/src/index.ts";
import { Cancel, Dialog } from "../../../../ui/dialog.tsx";
import { Check, Field, Form } from "../../../../ui/form.tsx";
import { Refusal } from "../../../../ui/notice.tsx";
import { groupInWords, groupsOfTypes, TYPES, verbInWords, type WebhookType } from "./words.ts";

interface Given {
  name: string;
  url: string;
  types: WebhookType[];
}

/** The form of a webhook, new or with the values of one. */
export function WebhookForm(props: {
  title: string;
  send: string;
  failed: string;
  webhook?: Webhook;
  onSend: (given: Given) => Promise<void>;
  onClose: () => void;
}) {
  const text = WEBHOOKS;
  const { title, send, failed, webhook, onSend, onClose } = props;
  const [chosen, setChosen] = useState<ReadonlySet<WebhookType>>(new Set(webhook?.types ?? []));
  const choose = (type: WebhookType, isOn: boolean) =>
    setChosen((before) => {
      const next = new Set(before);
      if (isOn) next.add(type);
      else next.delete(type);
      return next;
    });
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        send={send}
        failed={failed}
        onSend={async (value) => {
          const types = TYPES.filter((type) => chosen.has(type));
          if (types.length === 0) throw new Refusal(text.chooseTypes);
          await onSend({ name: value("name"), url: value("url"), types });
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <Field label={text.name} name="name" defaultValue={webhook?.name ?? ""} required maxLength={100} autofocus />
        <Field
          label={text.url}
          name="url"
          help={text.urlHelp}
          defaultValue={webhook?.url ?? "https://"}
          required
          maxLength={2_000}
        />
        {groupsOfTypes().map(([group, types]) => (
          <fieldset key={group} class="stack">
            <legend>{groupInWords(group)}</legend>
            {types.map((type) => (
              <Check
                key={type}
                label={verbInWords(type)}
                checked={webhook?.types.includes(type) ?? false}
                onChange={(isOn) => choose(type, isOn)}
              />
            ))}
          </fieldset>
        ))}
      </Form>
    </Dialog>
  );
}

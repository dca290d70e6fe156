import { useState } from "preact/hooks";
import { PASSKEYS } from "#texts/passkeys.ts";
import { dataOf, eachItem, type Passkey } from "../../../../client/src/index.ts";
import { AddButton } from "../../../ui/buttons.tsx";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Field, Form } from "../../../ui/form.tsx";
import { timeOf } from "../../../ui/format.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, CalmCard, say, Waiting } from "../../../ui/notice.tsx";
import { PageHead } from "../../../ui/page-head.tsx";
import { BarredCard } from "../platform/barred.tsx";
import { addPasskey, canUsePasskeys } from "../platform/passkeys.ts";
import { api } from "../platform/session.ts";
import { deviceOf } from "./device.ts";
import { OwnPassword, SecondFactorCard } from "./second-factor.tsx";

const readPasskeys = (): Promise<Passkey[]> =>
  Array.fromAsync(
    eachItem((cursor) => dataOf(api.GET("/v1/auth/passkeys", { params: { query: { limit: 100, cursor } } }))),
  );

function NewPasskey({ onDone, onClose }: { onDone: (made: Passkey) => void; onClose: () => void }) {
  const text = PASSKEYS;
  return (
    <Dialog title={text.add} onClose={onClose}>
      <Form
        send={text.send}
        failed={text.failed}
        onSend={async (value) => onDone(await addPasskey(value("name"), value("password")))}
        beside={<Cancel onClose={onClose} />}
      >
        <Field
          label={text.name}
          name="name"
          help={text.nameHelp}
          defaultValue={deviceOf(navigator.userAgent)}
          required
          maxLength={100}
        />
        <OwnPassword />
      </Form>
    </Dialog>
  );
}

interface Asked {
  passkey: Passkey;
  onDone: (name: string) => void;
  onClose: () => void;
}

function RenamePasskey({ passkey: { id, name }, onDone, onClose }: Asked) {
  const text = PASSKEYS;
  return (
    <Dialog title={text.renameTitle(name)} onClose={onClose}>
      <Form
        send={text.renameSend}
        failed={text.renameFailed}
        onSend={async (value) => {
          const body = { name: value("name") };
          await dataOf(api.PATCH("/v1/auth/passkeys/{passkeyId}", { params: { path: { passkeyId: id } }, body }));
          onDone(body.name);
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <Field
          label={text.name}
          name="name"
          help={text.nameHelp}
          defaultValue={name}
          required
          maxLength={100}
          autofocus
        />
      </Form>
    </Dialog>
  );
}

function RemovePasskey({ passkey: { id, name }, onDone, onClose }: Asked) {
  const text = PASSKEYS;
  return (
    <Dialog title={text.removeTitle(name)} onClose={onClose}>
      <Form
        send={text.remove}
        failed={text.removeFailed}
        onSend={async (value) => {
          const body = { password: value("password") };
          await dataOf(api.DELETE("/v1/auth/passkeys/{passkeyId}", { params: { path: { passkeyId: id } }, body }));
          onDone(name);
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <p>{text.removeHelp}</p>
        <OwnPassword />
      </Form>
    </Dialog>
  );
}

function PasskeyLine(props: { passkey: Passkey; onRename: () => void; onRemove: () => void }) {
  const text = PASSKEYS;
  const { name, isBackedUp, createdAtUtc, lastUsedAtUtc } = props.passkey;
  return (
    <li>
      <span class="grow">
        <b class="strong">{name}</b>
        <br />
        <span class="small muted">{isBackedUp ? text.backedUp : text.single}</span>
        <br />
        <span class="small muted nums">
          {lastUsedAtUtc === null ? text.neverUsed : `${text.used} ${timeOf(lastUsedAtUtc)}`} · {text.since}{" "}
          {timeOf(createdAtUtc)}
        </span>
      </span>
      <button type="button" class="btn" aria-label={text.renameOf(name)} onClick={props.onRename}>
        {text.rename}
      </button>
      <button type="button" class="btn" aria-label={text.removeOf(name)} onClick={props.onRemove}>
        {text.remove}
      </button>
    </li>
  );
}

/** The passkeys of the person. */
export function PasskeysPart() {
  const text = PASSKEYS;
  const { data, error, slow, reload } = useLoaded("passkeys", readPasskeys);
  const [asked, setAsked] = useState<"add" | { rename: Passkey } | { remove: Passkey } | null>(null);
  const close = () => setAsked(null);
  const finish = (told: string) => {
    close();
    say(told);
    reload();
  };
  const canAdd = canUsePasskeys();
  const add = <AddButton label={text.add} onPress={() => setAsked("add")} />;
  return (
    <>
      <PageHead title={text.title} lead={text.lead}>
        {canAdd && data !== undefined && data.length > 0 && add}
      </PageHead>
      {data !== undefined && <BarredCard hasPasskey={data.length > 0} />}
      {error !== undefined && <Alert title={text.readFailed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {!canAdd && <CalmCard icon="lock" title={text.unavailable} help={text.unavailableHelp} />}
      {canAdd && data?.length === 0 && (
        <CalmCard icon="lock" title={text.none} help={text.noneHelp}>
          {add}
        </CalmCard>
      )}
      {data !== undefined && data.length > 0 && (
        <ul class="card list">
          {data.map((passkey) => (
            <PasskeyLine
              key={passkey.id}
              passkey={passkey}
              onRename={() => setAsked({ rename: passkey })}
              onRemove={() => setAsked({ remove: passkey })}
            />
          ))}
        </ul>
      )}
      {data !== undefined && (canAdd || data.length > 0) && <SecondFactorCard hasPasskey={data.length > 0} />}
      {asked === "add" && <NewPasskey onDone={({ name }) => finish(text.added(name))} onClose={close} />}
      {asked !== null && typeof asked === "object" && "rename" in asked && (
        <RenamePasskey passkey={asked.rename} onDone={(name) => finish(text.renamed(name))} onClose={close} />
      )}
      {asked !== null && typeof asked === "object" && "remove" in asked && (
        <RemovePasskey passkey={asked.remove} onDone={(name) => finish(text.removed(name))} onClose={close} />
      )}
    </>
  );
}

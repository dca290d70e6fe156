import { useState } from "preact/hooks";
import { MAIL } from "#texts/mail.ts";
import { dataOf, type Location, type MailAddress, type MailAddressUpdate } from "../../../../client/src/index.ts";
import { documentPath } from "../../../../src/platform/paths.ts";
import { BusyButton } from "../../../ui/buttons.tsx";
import { CopyButton } from "../../../ui/copy.tsx";
import { Confirm, Dialog } from "../../../ui/dialog.tsx";
import { Area, Check, Field, Form } from "../../../ui/form.tsx";
import { timeOf } from "../../../ui/format.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, say, sayFailed, Waiting } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";

const of = (locationId: string) => ({ params: { path: { locationId } } });

/** Bytes of a megabyte in the field of the largest mail. */
const MEGABYTE = 1024 * 1024;

/** The kinds of attachments, in the order of the form. */
type Kind = NonNullable<MailAddress["attachmentKinds"]>[number];
const KINDS = Object.keys(MAIL.kinds) as Kind[];

/** The last mails that came, with what became of them. */
function Arrivals({ locationId }: { locationId: string }) {
  const text = MAIL;
  const { data, error, slow, reload } = useLoaded(`arrivals ${locationId}`, () =>
    dataOf(
      api.GET("/v1/spatial/locations/{locationId}/mail-address/arrivals", {
        params: { path: { locationId }, query: { limit: 20 } },
      }),
    ),
  );
  return (
    <section class="stack" aria-label={text.arrivals}>
      <div class="row wrap">
        <h3 class="grow">{text.arrivals}</h3>
        <button type="button" class="btn" onClick={reload}>
          {text.refresh}
        </button>
      </div>
      {error !== undefined && <Alert title={text.arrivalsFailed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {data?.items.length === 0 && <p class="small muted">{text.noArrivals}</p>}
      {data !== undefined && data.items.length > 0 && (
        <ul class="list">
          {data.items.map(({ id, sender, subject, status, detail, documentCount, documentId, receivedAtUtc }) => (
            <li key={id}>
              <span class="grow">
                {documentId === null ? (
                  <strong>{subject || text.noSubject}</strong>
                ) : (
                  <a class="strong" href={documentPath(documentId)}>
                    {subject || text.noSubject}
                  </a>
                )}
                <br />
                <span class="small muted nums">{text.came(sender, timeOf(receivedAtUtc))}</span>
                <br />
                <span class="small nums">
                  {status === "filed" ? text.filed(documentCount) : text.statuses[status]}
                  {detail !== null && ` ${detail}`}
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The rules of an address. */
function Rules({ address, onSave }: { address: MailAddress; onSave: (body: MailAddressUpdate) => Promise<void> }) {
  const text = MAIL;
  const [kinds, setKinds] = useState<ReadonlySet<Kind>>(new Set(address.attachmentKinds ?? KINDS));
  return (
    <Form
      send={text.save}
      failed={text.saveFailed}
      secondary
      onSend={async (value) => {
        const senders = value("senders")
          .split(/[\s,;]+/)
          .filter((one) => one !== "");
        const most = value("megabytes").trim();
        await onSave({
          senders: senders.length === 0 ? null : senders,
          attachmentKinds:
            kinds.size === KINDS.length || kinds.size === 0 ? null : KINDS.filter((kind) => kinds.has(kind)),
          maxBytes: most === "" ? null : Math.round(Number(most) * MEGABYTE),
          path: value("path").trim() || null,
          baseRevision: address.revision,
        });
      }}
    >
      <Area
        label={text.senders}
        name="senders"
        help={text.sendersHelp}
        rows={3}
        defaultValue={(address.senders ?? []).join("\n")}
      />
      <Field label={text.folder} name="path" help={text.folderHelp} defaultValue={address.path} maxLength={800} />
      <Field
        label={text.megabytes}
        name="megabytes"
        help={text.megabytesHelp}
        type="number"
        step="any"
        min={0.01}
        max={16}
        defaultValue={address.maxBytes === null ? "" : Math.round((address.maxBytes / MEGABYTE) * 100) / 100}
      />
      <fieldset>
        <legend>{text.kindsTitle}</legend>
        <div class="row wrap">
          {KINDS.map((kind) => (
            <Check
              key={kind}
              label={text.kinds[kind]}
              checked={kinds.has(kind)}
              onChange={(isOn) =>
                setKinds((before) => {
                  const next = new Set(before);
                  if (isOn) next.add(kind);
                  else next.delete(kind);
                  return next;
                })
              }
            />
          ))}
        </div>
      </fieldset>
    </Form>
  );
}

/** The address of a location with its rules and the mails that came. */
function Address(props: { locationId: string; address: MailAddress; reload: () => void }) {
  const text = MAIL;
  const { locationId, address, reload } = props;
  const [asking, setAsking] = useState<"rotate" | "remove" | null>(null);
  const update = async (body: MailAddressUpdate) => {
    await dataOf(api.PATCH("/v1/spatial/locations/{locationId}/mail-address", { ...of(locationId), body }));
    reload();
  };
  const toggle = () =>
    update({ isEnabled: !address.isEnabled, baseRevision: address.revision }).catch((thrown: unknown) =>
      sayFailed(text.saveFailed, thrown),
    );
  return (
    <>
      <p>{address.isEnabled ? text.lead : text.off}</p>
      <output class="secret" aria-label={text.address}>
        {address.address}
      </output>
      <p class="small muted">{text.actsFor(address.actsFor.displayName ?? text.nobody)}</p>
      <p class="row buttons wrap">
        <CopyButton text={address.address} />
        <BusyButton onPress={toggle}>{address.isEnabled ? text.switchOff : text.switchOn}</BusyButton>
        <button type="button" class="btn" onClick={() => setAsking("rotate")}>
          {text.rotate}
        </button>
        <button type="button" class="btn" onClick={() => setAsking("remove")}>
          {text.remove}
        </button>
      </p>
      <h3>{text.rules}</h3>
      <Rules
        key={address.revision}
        address={address}
        onSave={async (body) => {
          await update(body);
          say(text.saved);
        }}
      />
      <Arrivals locationId={locationId} />
      {asking === "rotate" && (
        <Confirm
          title={text.rotateTitle}
          help={text.rotateHelp}
          send={text.rotate}
          failed={text.rotateFailed}
          onSend={async () => {
            await dataOf(api.POST("/v1/spatial/locations/{locationId}/mail-address/rotate", of(locationId)));
            reload();
          }}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === "remove" && (
        <Confirm
          title={text.removeTitle}
          help={text.removeHelp}
          send={text.remove}
          failed={text.removeFailed}
          onSend={async () => {
            await dataOf(api.DELETE("/v1/spatial/locations/{locationId}/mail-address", of(locationId)));
            reload();
          }}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
}

/** The button of the mail address of a location. It is there if the service receives mail. */
export function MailButton({ location: { id: locationId } }: { location: Location }) {
  const text = MAIL;
  const [isOpen, setIsOpen] = useState(false);
  const { data, reload } = useLoaded(`mail ${locationId}`, () =>
    dataOf(api.GET("/v1/spatial/locations/{locationId}/mail-address", of(locationId))),
  );
  if (data?.isAvailable !== true) return null;
  const create = () =>
    dataOf(api.POST("/v1/spatial/locations/{locationId}/mail-address", { ...of(locationId), body: {} })).then(
      reload,
      (thrown: unknown) => sayFailed(text.createFailed, thrown),
    );
  return (
    <>
      <button type="button" class="btn" onClick={() => setIsOpen(true)}>
        {text.open}
      </button>
      {isOpen && (
        <Dialog title={text.title} onClose={() => setIsOpen(false)}>
          <div class="stack">
            {data.address === null ? (
              <>
                <p>{text.none}</p>
                <p class="row buttons">
                  <BusyButton onPress={create}>{text.create}</BusyButton>
                </p>
              </>
            ) : (
              <Address locationId={locationId} address={data.address} reload={reload} />
            )}
            <p class="row buttons">
              <button type="button" class="btn" onClick={() => setIsOpen(false)}>
                {text.close}
              </button>
            </p>
          </div>
        </Dialog>
      )}
    </>
  );
}

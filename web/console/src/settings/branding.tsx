import { decimal, sizeOf } from "#texts/language.ts";
import { PageHead } from "../../../ui/page-head.tsx";
import "./branding.css";
import { useState } from "preact/hooks";
import { BRANDING } from "#texts/settings.ts";
import { type Branding, dataOf } from "../../../../client/src/index.ts";
import { accentOf, contrastOf, partsOf, TEXT_CONTRAST, WHITE } from "../../../ui/colour.ts";
import { Check } from "../../../ui/form.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, say, Waiting } from "../../../ui/notice.tsx";
import { branding } from "../platform/branding.ts";
import { api, client } from "../platform/session.ts";
import { organization } from "../platform/workspace.ts";
import { type Colour, type Draft, type Slot, usePicture } from "./branding-draft.ts";
import { Sample } from "./branding-sample.tsx";

const COLOURS = Object.keys(BRANDING.colours) as Colour[];
const SLOTS = Object.keys(BRANDING.slots) as Slot[];

const draftOf = (read: Branding): Draft => ({
  brandName: read.brandName ?? "",
  slogan: read.slogan ?? "",
  primaryColor: read.primaryColor ?? "",
  secondaryColor: read.secondaryColor ?? "",
  accentColor: read.accentColor ?? "",
  shownOnShareLinks: read.shownOnShareLinks,
});

const isColour = (value: string): boolean => value === "" || partsOf(value) !== null;

/** The contrast of a colour on paper, in words. */
function contrastWords(value: string): string {
  const parts = partsOf(value);
  if (parts === null) return value === "" ? BRANDING.colourHelp : BRANDING.wrong;
  const contrast = contrastOf(parts, WHITE);
  return (contrast >= TEXT_CONTRAST ? BRANDING.fit : BRANDING.unfit)(decimal(Math.floor(contrast * 10) / 10, 1));
}

/** The themes in which the console can use the primary colour. */
function consoleWords(primary: string): string {
  const [light, dark] = [accentOf(primary, "light") !== null, accentOf(primary, "dark") !== null];
  return BRANDING.console[light ? (dark ? "both" : "light") : dark ? "dark" : "none"];
}

function ColourField({ name, value, onChange }: { name: Colour; value: string; onChange: (value: string) => void }) {
  const label = BRANDING.colours[name];
  return (
    <div class="colour">
      <label class="label" for={name}>
        {label}
      </label>
      <input
        type="color"
        aria-label={BRANDING.picker(label)}
        value={/^#[0-9a-f]{6}$/i.test(value) ? value : "#ffffff"}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      <input
        id={name}
        name={name}
        class="input nums"
        value={value}
        maxLength={9}
        aria-invalid={!isColour(value)}
        aria-describedby={`${name}-contrast`}
        onInput={(event) => onChange(event.currentTarget.value.trim())}
      />
      <span id={`${name}-contrast`} class="help" aria-live="polite">
        {contrastWords(value)}
      </span>
    </div>
  );
}

function SlotField({ slot, read, reload }: { slot: Slot; read: Branding; reload: () => void }) {
  const text = BRANDING;
  const label = text.slots[slot];
  const asset = read[slot];
  const { organizationId } = read;
  const picture = usePicture(organizationId, slot, asset, "small");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<{ title: string; error: unknown } | null>(null);
  const run = async (title: string, work: () => Promise<string>) => {
    setBusy(true);
    setError(null);
    try {
      say(await work());
      reload();
    } catch (thrown) {
      setError({ title, error: thrown });
    } finally {
      setBusy(false);
    }
  };
  const replace = (file: File) =>
    run(text.uploadFailed, async () => {
      const { hint } = await client.uploadBranding({ organizationId, slot, file, fileName: file.name });
      return hint ?? text.uploaded(label);
    });
  const remove = () =>
    run(text.removeFailed, async () => {
      const path = { organizationId, slot };
      await dataOf(api.DELETE("/v1/orgs/{organizationId}/branding/assets/{slot}", { params: { path } }));
      return text.removedFile(label);
    });
  return (
    <div class="field">
      <span>{label}</span>
      <div class="slot">
        <span class="thing">{picture && <img src={picture} alt={label} />}</span>
        <span class="grow small muted nums">
          {busy
            ? text.uploading
            : asset === null
              ? text.noFile
              : `${asset.fileName} · ${asset.width} × ${asset.height} · ${sizeOf(asset.sizeBytes)}`}
        </span>
        <label class={busy ? "btn busy" : "btn"}>
          {asset === null ? text.choose(label) : text.replace(label)}
          <input
            class="sr"
            type="file"
            name={slot}
            accept="image/png,image/jpeg,image/webp,image/svg+xml"
            disabled={busy}
            onChange={(event) => {
              const file = event.currentTarget.files?.[0];
              event.currentTarget.value = "";
              if (file) void replace(file);
            }}
          />
        </label>
        {asset !== null && (
          <button type="button" class="btn icon-only" aria-label={text.remove(label)} disabled={busy} onClick={remove}>
            <Icon name="trash" />
          </button>
        )}
      </div>
      {error && <Alert title={error.title} error={error.error} />}
    </div>
  );
}

function Editor({ read, reload }: { read: Branding; reload: () => void }) {
  const text = BRANDING;
  const saved = draftOf(read);
  const [draft, setDraft] = useState(saved);
  const [discards, setDiscards] = useState(0);
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const changed = Object.keys(draft).some((name) => draft[name as keyof Draft] !== saved[name as keyof Draft]);
  const valid = COLOURS.every((name) => isColour(draft[name]));
  const set = (name: Exclude<keyof Draft, "shownOnShareLinks">) => (value: string) =>
    setDraft({ ...draft, [name]: value });
  const discard = () => {
    setDraft(saved);
    setDiscards(discards + 1);
  };
  const save = async () => {
    setSending(true);
    setError(null);
    try {
      branding.value = await dataOf(
        api.PUT("/v1/orgs/{organizationId}/branding", {
          params: { path: { organizationId: read.organizationId } },
          body: { ...draft, ...(read.revision > 0 && { baseRevision: read.revision }) },
        }),
      );
      setDraft(draftOf(branding.value));
      say(text.saved);
      reload();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setSending(false);
    }
  };
  return (
    <>
      <PageHead title={text.title} lead={text.lead}>
        {changed && (
          <>
            <span class="small muted">{text.unsaved}</span>
            <button type="button" class="btn" onClick={discard}>
              {text.discard}
            </button>
          </>
        )}
        <button type="button" class="btn primary" disabled={!changed || !valid || sending} onClick={save}>
          {text.save}
        </button>
      </PageHead>
      {error !== null && <Alert title={text.failed} error={error} />}
      <div class="brandform">
        <div class="stack form">
          <label class="field">
            <span>{text.brandName}</span>
            <input
              class="input"
              name="brandName"
              value={draft.brandName}
              maxLength={120}
              placeholder={read.organizationName}
              onInput={(event) => set("brandName")(event.currentTarget.value)}
            />
          </label>
          <label class="field">
            <span>{text.slogan}</span>
            <input
              class="input"
              name="slogan"
              value={draft.slogan}
              maxLength={200}
              onInput={(event) => set("slogan")(event.currentTarget.value)}
            />
          </label>
          {COLOURS.map((name) => (
            <ColourField key={name} name={name} value={draft[name]} onChange={set(name)} />
          ))}
          {partsOf(draft.primaryColor) !== null && (
            <p class="small muted" aria-live="polite">
              {consoleWords(draft.primaryColor)}
            </p>
          )}
          {SLOTS.map((slot) => (
            <SlotField key={slot} slot={slot} read={read} reload={reload} />
          ))}
          <Check
            // A box keeps its state. After a discarded change, a new box replaces it.
            key={discards}
            name="shownOnShareLinks"
            label={text.onShareLinks}
            help={text.onShareLinksHelp}
            checked={draft.shownOnShareLinks}
            onChange={(shownOnShareLinks) => setDraft({ ...draft, shownOnShareLinks })}
          />
        </div>
        <Sample draft={draft} read={read} />
      </div>
    </>
  );
}

/** The name, colours and pictures of the organization, with a preview that shows each change at once. */
export function BrandingPart() {
  const text = BRANDING;
  const organizationId = organization.value?.id ?? "";
  const { data, error, slow, reload } = useLoaded(`branding ${organizationId}`, () =>
    dataOf(api.GET("/v1/orgs/{organizationId}/branding", { params: { path: { organizationId } } })),
  );
  if (error !== undefined) return <Alert title={text.readFailed} error={error} onRetry={reload} />;
  if (data === undefined) return slow ? <Waiting text={text.loading} /> : null;
  return <Editor read={data} reload={reload} />;
}

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { CAMERA, FORECAST } from "#texts/cameras.ts";
import { dateFormat, sizeOf } from "#texts/language.ts";
import { type CaptureWindow, dataOf, type Entitlements } from "../../../../client/src/index.ts";
import { Check, Field } from "../../../ui/form.tsx";
import { ownZone, ZoneChoice } from "../../../ui/zone-choice.tsx";
import { api } from "../platform/session.ts";
import { type DescribedSettings, defaultOf, megapixelsOf } from "./described.ts";
import { bytesLeft, bytesNeeded, type Measured, type Plan, percentOf } from "./forecast.ts";

/** The settings in the form. The pause has a separate button. */
export interface SettingValues extends Plan {
  name: string;
  description: string;
  timeZone: string;
}

export const readEntitlements = (organizationId: string): Promise<Entitlements> =>
  dataOf(api.GET("/v1/orgs/{organizationId}/entitlements", { params: { path: { organizationId } } }));

const NUMBERS = ["captureIntervalMinutes", "retentionDays", "captureWidth", "captureHeight", "jpegQuality"] as const;
type NumberName = (typeof NUMBERS)[number];
const FIRST_WINDOW: CaptureWindow = { start: "07:00", end: "19:00" };
const ALL_DAYS = [1, 2, 3, 4, 5, 6, 7];
const weekday = dateFormat({ weekday: "short", timeZone: "UTC" });
/** The short name of a day of the week: 1 is Monday. */
const dayName = (day: number): string => weekday(Date.UTC(2024, 0, day));

/** The settings of a new camera, as the API's description states them. */
export function newValues(described: DescribedSettings, maxRetentionDays: number): SettingValues {
  const number = (name: NumberName): number => Number(defaultOf(described[name] ?? {}) ?? 1);
  return {
    name: "",
    description: "",
    captureIntervalMinutes: number("captureIntervalMinutes"),
    retentionDays: Math.min(number("retentionDays"), maxRetentionDays),
    captureWidth: number("captureWidth"),
    captureHeight: number("captureHeight"),
    jpegQuality: number("jpegQuality"),
    captureWindow: null,
    timeZone: ownZone(),
  };
}

function Forecast({
  plan,
  entitlements,
  measured,
}: {
  plan: Plan;
  entitlements: Entitlements;
  measured: Measured | null;
}) {
  const need = bytesNeeded(plan, measured);
  const left = bytesLeft(entitlements);
  const isTooMuch = need > left;
  if (!Number.isFinite(need)) return null;
  return (
    <div class={`forecast${isTooMuch ? " bad" : ""}`} role="status">
      <p class="strong nums">
        {FORECAST.need(plan.retentionDays, plan.captureIntervalMinutes, sizeOf(need))},{" "}
        {FORECAST.share(percentOf(need, left))}
      </p>
      <p class="small muted">
        {isTooMuch ? FORECAST.tooMuch : measured === null ? FORECAST.guessed : FORECAST.measured}
      </p>
    </div>
  );
}

function WindowFields(props: { value: CaptureWindow | null; onChange: (window: CaptureWindow | null) => void }) {
  const { value, onChange } = props;
  const days = value?.daysOfWeek ?? ALL_DAYS;
  const withDay = (window: CaptureWindow, day: number, isChosen: boolean) => {
    const chosen = ALL_DAYS.filter((one) => (one === day ? isChosen : days.includes(one)));
    if (chosen.length > 0) onChange({ ...window, daysOfWeek: chosen });
  };
  return (
    <>
      <Check label={CAMERA.window} checked={value !== null} onChange={(on) => onChange(on ? FIRST_WINDOW : null)} />
      {value !== null && (
        <fieldset class="stack">
          <legend class="sr">{CAMERA.window}</legend>
          <div class="two">
            {(["start", "end"] as const).map((end) => (
              <label key={end} class="field">
                <span>{end === "start" ? CAMERA.windowStart : CAMERA.windowEnd}</span>
                <input
                  class="input"
                  type="time"
                  required
                  value={value[end]}
                  onInput={(event) => onChange({ ...value, [end]: event.currentTarget.value })}
                />
              </label>
            ))}
          </div>
          <span class="label">{CAMERA.windowDays}</span>
          <div class="boxes">
            {ALL_DAYS.map((day) => (
              <Check
                key={day}
                label={dayName(day)}
                checked={days.includes(day)}
                onChange={(isChosen) => withDay(value, day, isChosen)}
              />
            ))}
          </div>
        </fieldset>
      )}
    </>
  );
}

/** Fields that a person may leave as they are. They open when one of them cannot be sent. */
function Folded({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <details
      class="more-fields"
      onInvalidCapture={(event) => {
        event.currentTarget.open = true;
      }}
    >
      <summary>{label}</summary>
      <div class="stack">{children}</div>
    </details>
  );
}

/** The fields of a camera's settings with a forecast of what they need. `onChange` gets every change. */
export function SettingFields(props: {
  first: SettingValues;
  described: DescribedSettings;
  entitlements: Entitlements;
  measured: Measured | null;
  /** Of a new camera: its place, which follows its name. The other fields are under "More" then. */
  place?: ComponentChildren;
  /** The zone of the place, until the person chooses another one. */
  zone?: string | undefined;
  onChange: (values: SettingValues) => void;
}) {
  const { first, described, entitlements, measured, place, zone, onChange } = props;
  const [values, setValues] = useState(first);
  const change = (changes: Partial<SettingValues>) => {
    const next = { ...values, ...changes };
    setValues(next);
    onChange(next);
  };
  const numberField = (name: NumberName) => {
    const limits = described[name] ?? {};
    const max = name === "retentionDays" ? entitlements.maxRetentionDays : limits.maximum;
    return (
      <label key={name} class="field">
        <span>{CAMERA.fields[name]}</span>
        <input
          class="input"
          type="number"
          name={name}
          required
          min={limits.minimum}
          max={max}
          value={values[name]}
          onInput={(event) => change({ [name]: event.currentTarget.valueAsNumber })}
        />
        {name === "retentionDays" && <span class="help">{FORECAST.limit(entitlements.maxRetentionDays)}</span>}
      </label>
    );
  };
  const rest = (
    <>
      <label class="field">
        <span>{CAMERA.fields.description}</span>
        <textarea class="input" name="description" rows={2} maxLength={described.description?.maxLength}>
          {first.description}
        </textarea>
      </label>
      <div class="two">{NUMBERS.slice(0, 2).map(numberField)}</div>
      <div class="two">{NUMBERS.slice(2).map(numberField)}</div>
      <p class="help">{CAMERA.sizeHelp(megapixelsOf(described.captureWidth ?? {}))}</p>
      <ZoneChoice name="timeZone" value={zone ?? first.timeZone} help={CAMERA.zoneHelp} />
      <WindowFields value={values.captureWindow} onChange={(captureWindow) => change({ captureWindow })} />
    </>
  );
  return (
    <>
      <Field
        label={CAMERA.fields.name}
        name="name"
        required
        maxLength={described.name?.maxLength ?? 200}
        defaultValue={first.name}
        autofocus={first.name === ""}
      />
      {place}
      <Forecast plan={values} entitlements={entitlements} measured={measured} />
      {place === undefined ? rest : <Folded label={CAMERA.more}>{rest}</Folded>}
    </>
  );
}

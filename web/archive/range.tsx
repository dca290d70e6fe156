import { type Clock, MINUTE } from "./clock.ts";

const PATTERN = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})/;

/** A moment in the format of a browser's field, by a clock. */
export const fieldOf = (clock: Clock, ms: number): string => new Date(clock.local(ms)).toISOString().slice(0, 16);

/** The moment of a field by a clock; null if the field is incomplete. */
export function momentOf(clock: Clock, value: string): number | null {
  const [, year, month, day, hour, minute] = PATTERN.exec(value) ?? [];
  if (minute === undefined) return null;
  return clock.at(Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute)));
}

/** A field of date and time by a clock. */
export function MomentField(props: {
  label: string;
  clock: Clock;
  value: number;
  min: number;
  max: number;
  onChange(ms: number): void;
}) {
  const { label, clock, value, min, max, onChange } = props;
  return (
    <label class="field">
      <span>{label}</span>
      <input
        class="input nums"
        type="datetime-local"
        value={fieldOf(clock, value)}
        min={fieldOf(clock, min)}
        max={fieldOf(clock, max + MINUTE)}
        onChange={(event) => {
          const ms = momentOf(clock, event.currentTarget.value);
          if (ms !== null) onChange(ms);
        }}
      />
    </label>
  );
}

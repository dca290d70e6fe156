import "./people.css";
import { COMMON } from "#texts/common.ts";
import { list } from "#texts/language.ts";
import { CAPABILITIES, LEVELS } from "#texts/settings.ts";
import type { Capabilities } from "../../../../client/src/index.ts";

export type Capability = keyof Capabilities;
export type Level = keyof typeof LEVELS;

/** The name of each capability of the API. */
const NAMES: Readonly<Record<Capability, string>> = CAPABILITIES;
export const ALL_CAPABILITIES = Object.keys(NAMES) as Capability[];
const ORDER = Object.keys(LEVELS) as Level[];

/** The levels up to one. */
const levelsUpTo = (most: Level): Level[] => ORDER.slice(0, ORDER.indexOf(most) + 1);

/** The capabilities of a person in words: "Documents: Write, Reports: Read". */
export const inWords = (capabilities: Capabilities): string =>
  list(
    ALL_CAPABILITIES.flatMap((one) => {
      const level = capabilities[one] ?? "None";
      return level === "None" ? [] : [COMMON.named(NAMES[one], LEVELS[level])];
    }),
  );

/**
 * A choice of a level for each capability. `most` has the highest level that may be chosen for each capability; the
 * default is Write. `unset` is the label of the choice that leaves a capability out.
 */
export function LevelFields(props: {
  legend: string;
  capabilities: readonly Capability[];
  value: Capabilities;
  most?: Capabilities;
  unset?: (capability: Capability) => string;
  onChange: (value: Capabilities) => void;
}) {
  const { legend, capabilities, value, most, unset, onChange } = props;
  return (
    <fieldset class="levels">
      <legend class="label">{legend}</legend>
      {capabilities.map((one) => (
        <label key={one}>
          <span>{NAMES[one]}</span>
          <select
            class="input"
            name={one}
            value={value[one] ?? (unset ? "" : "None")}
            onChange={(event) => {
              const { [one]: _, ...others } = value;
              const level = ORDER.find((name) => name === event.currentTarget.value);
              onChange(level === undefined ? others : { ...others, [one]: level });
            }}
          >
            {unset && <option value="">{unset(one)}</option>}
            {levelsUpTo(most ? (most[one] ?? "None") : "Write").map((level) => (
              <option key={level} value={level}>
                {LEVELS[level]}
              </option>
            ))}
          </select>
        </label>
      ))}
    </fieldset>
  );
}

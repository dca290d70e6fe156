import { useEffect, useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { byName, dateFormat } from "#texts/language.ts";
import { Choice } from "./form.tsx";
import { cityOf, countriesOfZones } from "./zones.ts";

type Option = { value: string; label: string };

let made: Option[] | null = null;

/** All zones by their city, with the country. They are made once, when a form first shows them. */
function zones(): Option[] {
  if (made !== null) return made;
  const countries = countriesOfZones(document.documentElement.lang);
  const labelOf = (zone: string): string => {
    const country = countries.get(zone);
    return country === undefined || country === cityOf(zone) ? cityOf(zone) : COMMON.zone.city(cityOf(zone), country);
  };
  const all = Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC");
  made = [
    { value: "UTC", label: "UTC" },
    ...all.map((value) => ({ value, label: labelOf(value) })).sort((a, b) => byName(a.label, b.label)),
  ];
  return made;
}

/** The zone of this device. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const CLOCK_MS = 10_000;

/**
 * The choice of a time zone by a city. Under it is the time of day there, by which a person recognizes a wrong choice.
 * `none` is the label of no zone, if that can be chosen.
 */
export function ZoneChoice(props: {
  name: string;
  value: string;
  none?: string;
  help: string;
  onChange?: (zone: string) => void;
}) {
  const { name, value, none, help, onChange } = props;
  const [chosen, setChosen] = useState(value);
  const [moment, setMoment] = useState(Date.now);
  useEffect(() => setChosen(value), [value]);
  useEffect(() => {
    const timer = setInterval(() => setMoment(Date.now()), CLOCK_MS);
    return () => clearInterval(timer);
  }, []);
  const all = zones();
  const isKnown = chosen === "" || all.some((one) => one.value === chosen);
  const now = dateFormat({ hour: "2-digit", minute: "2-digit", timeZone: chosen === "" ? "UTC" : chosen });
  return (
    <Choice
      label={COMMON.zone.label}
      name={name}
      options={[
        ...(none === undefined ? [] : [{ value: "", label: none }]),
        ...(isKnown ? [] : [{ value: chosen, label: cityOf(chosen) }]),
        ...all,
      ]}
      value={chosen}
      onChange={(zone) => {
        setChosen(zone);
        onChange?.(zone);
      }}
      help={`${help} ${COMMON.zone.now(now(moment))}`}
    />
  );
}

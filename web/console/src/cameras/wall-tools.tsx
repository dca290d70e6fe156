import { ROOM, WALL } from "#texts/cameras.ts";
import { number } from "#texts/language.ts";
import { Check } from "../../../ui/form.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { SoundSwitch } from "./fallen.tsx";
import { enterRoom } from "./screen.ts";
import { isTrouble, type ShownCamera } from "./state.ts";
import { COLUMNS, choose, TROUBLE, type WallFields } from "./wall-address.ts";

/** A choice with its label before it. */
export function Select(props: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}) {
  return (
    <label class="row">
      <span class="small muted">{props.label}</span>
      <select class="input" onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.options.map(([value, label]) => (
          <option key={value} value={value} selected={value === props.value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The choice of the number of columns. */
export const ColumnChoice = ({ columns }: Pick<WallFields, "columns">) => (
  <Select
    label={ROOM.columns}
    value={columns === null ? "" : String(columns)}
    options={[["", ROOM.auto], ...COLUMNS.map((one) => [String(one), number(one)] as const)]}
    onChange={(value) => choose({ columns: value })}
  />
);

/** The filters of the wall, its order and its form. */
export function WallTools({ all, fields }: { all: readonly ShownCamera[]; fields: WallFields }) {
  const { show, sort, isGrouped, columns } = fields;
  const places = Map.groupBy(all, ({ camera }) => camera.locationId);
  const filters = [
    { value: "", label: WALL.all, count: all.length },
    { value: TROUBLE, label: WALL.onlyTrouble, count: all.filter(({ state }) => isTrouble(state)).length },
    ...[...places].map(([value, some]) => ({ value, label: some[0]?.camera.locationName ?? "", count: some.length })),
  ];
  return (
    <>
      <div class="row wrap wall-tools">
        {/* biome-ignore lint/a11y/useSemanticElements: buttons that filter are no fields of a form */}
        <div class="filters grow" role="group" aria-label={WALL.filters}>
          {filters.map(({ value, label, count }) => (
            <button
              key={value}
              type="button"
              class="chip"
              aria-pressed={show === value}
              onClick={() => choose({ show: value })}
            >
              {label} <span class="count">{count}</span>
            </button>
          ))}
        </div>
      </div>
      <div class="row wrap wall-tools wall-form">
        <Select
          label={WALL.sort}
          value={sort}
          options={Object.entries(WALL.sorts)}
          onChange={(value) => choose({ sort: value })}
        />
        <ColumnChoice columns={columns} />
        <Check label={ROOM.group} checked={isGrouped} onChange={(on) => choose({ group: on ? "place" : "" })} />
        <SoundSwitch />
        <button type="button" class="btn end" title={ROOM.openHelp} onClick={enterRoom}>
          <Icon name="expand" />
          {ROOM.open}
        </button>
      </div>
    </>
  );
}

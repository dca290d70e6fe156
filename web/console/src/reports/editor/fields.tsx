import { useEffect, useRef, useState } from "preact/hooks";
import * as Y from "yjs";
import { EDITOR } from "#texts/reports.ts";
import { IconButton } from "../../../../ui/buttons.tsx";
import { Check } from "../../../../ui/form.tsx";
import { Icon } from "../../../../ui/icon.tsx";
import { humanName, isObject } from "../json.ts";
import { isForPictures, isPicture } from "./picture.ts";
import { PictureField } from "./picture-field.tsx";
import type { Room } from "./room.ts";
import { getAt, isPlace, type Place, type Spot, setAt, setAtSpot, spotOf, toJson, toShared } from "./shared.ts";

/** A field is written into the draft after this pause in typing, or when the person leaves the field. */
const REST_MS = 250;
/** Longer texts have a field of several lines. */
const MAX_LINE_CHARACTERS = 60;

/** The properties of every field of a form. */
interface FormScope {
  room: Room;
  locationId: string;
  /** Names of the fields that the template shows as pictures. */
  pictures: ReadonlySet<string>;
}

interface FieldProps {
  scope: FormScope;
  place: Place;
  /** The name of a field, or the number of an item. */
  at: string | number;
  label: string;
  /** The template's value at this place; undefined if it has none. */
  shape: unknown;
}

/** A text that is typed and not yet in the draft. */
function useTyped(props: FieldProps, shown: string, parse: (typed: string) => unknown) {
  const { place, at } = props;
  const { room } = props.scope;
  const [typed, setTyped] = useState<string | null>(null);
  const waiting = useRef<{ timer: ReturnType<typeof setTimeout>; text: string; spot: Spot } | null>(null);
  const write = () => {
    if (waiting.current === null) return;
    const { timer, text, spot } = waiting.current;
    clearTimeout(timer);
    waiting.current = null;
    let written: string | number | null = null;
    room.change(() => {
      written = setAtSpot(spot, parse(text));
    });
    // Somebody else moved or removed the item, so this field shows another item now.
    if (written !== spot.at) setTyped(null);
    if (written === null) room.refusal.value = EDITOR.rowRemoved;
  };
  useEffect(
    () => () => {
      write();
      setTyped(null);
    },
    [place, at],
  );
  return {
    value: typed ?? shown,
    type: (text: string) => {
      if (waiting.current !== null) clearTimeout(waiting.current.timer);
      const spot = waiting.current?.spot ?? spotOf(place, at);
      waiting.current = { timer: setTimeout(write, REST_MS), text, spot };
      setTyped(text);
      // Until the text is in the draft, the tab should not be closed.
      room.unsaved.value = true;
    },
    leave: () => {
      write();
      setTyped(null);
    },
  };
}

function TextField(props: FieldProps & { value: string | null }) {
  const { label, shape, value } = props;
  const { room } = props.scope;
  const isLong = `${value ?? ""}`.length > MAX_LINE_CHARACTERS || /\n/.test(`${value}${shape}`);
  const field = useTyped(props, value ?? "", (typed) => (typed === "" && value === null ? null : typed));
  const input = {
    class: "input",
    value: field.value,
    readOnly: room.readOnly.value,
    onBlur: field.leave,
  };
  const onInput = (event: { currentTarget: { value: string } }) => field.type(event.currentTarget.value);
  if (isLong)
    return (
      <label class="field">
        <span>{label}</span>
        <textarea {...input} rows={4} onInput={onInput} />
      </label>
    );
  return (
    <label class="field">
      <span>{label}</span>
      <input {...input} onInput={onInput} />
    </label>
  );
}

function NumberField(props: FieldProps & { value: number }) {
  const { label, value } = props;
  const { room } = props.scope;
  const field = useTyped(props, String(value), (typed) => {
    const number = Number(typed);
    return typed.trim() === "" || !Number.isFinite(number) ? value : number;
  });
  return (
    <label class="field">
      <span>{label}</span>
      <input
        class="input nums"
        type="number"
        step="any"
        value={field.value}
        readOnly={room.readOnly.value}
        onInput={(event) => field.type(event.currentTarget.value)}
        onBlur={field.leave}
      />
    </label>
  );
}

/** A new item as in the template: the same fields, with empty values. */
const emptied = (shape: unknown): unknown => {
  if (typeof shape === "string") return "";
  if (Array.isArray(shape)) return [];
  return isObject(shape)
    ? Object.fromEntries(Object.entries(shape).map(([key, inner]) => [key, emptied(inner)]))
    : shape;
};

function ListField(props: FieldProps & { list: Y.Array<unknown> }) {
  const { scope, label, shape, list } = props;
  const { room } = scope;
  const itemShape = (Array.isArray(shape) ? shape[0] : undefined) ?? toJson(list.get(0)) ?? "";
  const isReadOnly = room.readOnly.value;
  return (
    <fieldset class="group">
      <legend class="label">{label}</legend>
      {list.length === 0 && <p class="small quiet">{EDITOR.empty}</p>}
      {list.toArray().map((item, n) => (
        // An item has no name. Items that are objects are distinguished by their shared object.
        <div key={n} class="item">
          <AnyField
            scope={scope}
            place={list}
            at={n}
            label={EDITOR.item(label, n + 1)}
            shape={isPlace(item) ? itemShape : undefined}
          />
          {!isReadOnly && (
            <IconButton
              icon="x"
              label={EDITOR.removeItem(label, n + 1)}
              onPress={() => room.change(() => list.delete(n))}
            />
          )}
        </div>
      ))}
      {!isReadOnly && (
        <button type="button" class="btn" onClick={() => room.change(() => list.push([toShared(emptied(itemShape))]))}>
          <Icon name="plus" />
          {EDITOR.add(label)}
        </button>
      )}
    </fieldset>
  );
}

/** Whether a value is a picture or pictures, or an empty place for them. */
function isPictures(value: unknown, at: string | number, named: ReadonlySet<string>): boolean {
  const isEmpty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
  if (isEmpty) return typeof at === "string" && isForPictures(at, named);
  return Array.isArray(value) ? value.every(isPicture) : isPicture(value);
}

/** The field of one value, by its kind. */
function AnyField(props: FieldProps) {
  const { scope, place, at, label, shape } = props;
  const { room } = scope;
  const value = getAt(place, at);
  if (isPictures(toJson(value), at, scope.pictures))
    return <PictureField room={room} place={place} at={at} label={label} locationId={scope.locationId} />;
  if (value instanceof Y.Array) return <ListField {...props} list={value} />;
  if (value instanceof Y.Map)
    return (
      <fieldset class="group">
        <legend class="label">{label}</legend>
        <Fields scope={scope} map={value} shape={shape} />
      </fieldset>
    );
  if (typeof value === "boolean")
    return (
      <fieldset class="plain" disabled={room.readOnly.value}>
        <Check
          key={String(value)}
          label={label}
          checked={value}
          onChange={(checked) => room.change(() => setAt(place, at, checked))}
        />
      </fieldset>
    );
  if (typeof value === "number") return <NumberField {...props} value={value} />;
  return <TextField {...props} value={typeof value === "string" ? value : null} />;
}

/** The fields of an object of the draft, in the template's order. The main text has a separate editor. */
export function Fields(props: { scope: FormScope; map: Y.Map<unknown>; shape: unknown }) {
  const { scope, map, shape } = props;
  const shaped = isObject(shape) ? shape : {};
  const others = [...map.keys()].filter((key) => !Object.hasOwn(shaped, key)).sort();
  const names = [...Object.keys(shaped), ...others];
  return (
    <>
      {names.map((name) => {
        if (!map.has(name) || map.get(name) instanceof Y.Text) return null;
        return <AnyField key={name} scope={scope} place={map} at={name} label={humanName(name)} shape={shaped[name]} />;
      })}
    </>
  );
}

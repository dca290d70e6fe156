import { useEffect, useRef, useState } from "preact/hooks";
import * as Y from "yjs";
import { EDITOR } from "../../../../texts/reports.ts";
import { Check } from "../../../../ui/form.tsx";
import { Icon } from "../../../../ui/icon.tsx";
import { humanName, isObject } from "../json.ts";
import type { Room } from "./room.ts";
import { getAt, isPlace, type Place, setAt, toJson, toShared } from "./shared.ts";

/** A field is written into the draft when the typing rests this long, or when the field is left. */
const REST_MS = 250;
/** Texts that are longer have a field of several lines. */
const MAX_LINE_CHARACTERS = 60;

interface FieldProps {
  room: Room;
  place: Place;
  /** The name of a field, or the number of an item. */
  at: string | number;
  label: string;
  /** What the template has at this place; undefined where it has nothing. */
  shape: unknown;
  path: string;
}

/** A text that is typed, and not yet in the draft. */
function useTyped(props: FieldProps, shown: string, parse: (typed: string) => unknown) {
  const { room, place, at } = props;
  const [typed, setTyped] = useState<string | null>(null);
  const waiting = useRef<{ timer: ReturnType<typeof setTimeout>; text: string } | null>(null);
  const write = () => {
    if (waiting.current === null) return;
    const { timer, text } = waiting.current;
    clearTimeout(timer);
    waiting.current = null;
    room.change(() => setAt(place, at, parse(text)));
  };
  useEffect(() => write, [place, at]);
  return {
    value: typed ?? shown,
    type: (text: string) => {
      if (waiting.current !== null) clearTimeout(waiting.current.timer);
      waiting.current = { timer: setTimeout(write, REST_MS), text };
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
  const { room, label, shape, value } = props;
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
  const { room, label, value } = props;
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

/** An item as the template begins it: the same fields, and nothing in them. */
const emptied = (shape: unknown): unknown => {
  if (typeof shape === "string") return "";
  if (Array.isArray(shape)) return [];
  return isObject(shape)
    ? Object.fromEntries(Object.entries(shape).map(([key, inner]) => [key, emptied(inner)]))
    : shape;
};

function ListField(props: FieldProps & { list: Y.Array<unknown> }) {
  const { room, label, shape, list, path } = props;
  const itemShape = (Array.isArray(shape) ? shape[0] : undefined) ?? toJson(list.get(0)) ?? "";
  const isReadOnly = room.readOnly.value;
  return (
    <fieldset class="group">
      <legend class="label">{label}</legend>
      {list.length === 0 && <p class="small quiet">{EDITOR.empty}</p>}
      {list.toArray().map((item, n) => (
        // An item has no name of its own; those of objects are told apart by their shared object.
        <div key={n} class="item">
          <AnyField
            room={room}
            place={list}
            at={n}
            label={EDITOR.item(label, n + 1)}
            shape={isPlace(item) ? itemShape : undefined}
            path={path}
          />
          {!isReadOnly && (
            <button
              type="button"
              class="btn bare icon-only"
              aria-label={EDITOR.removeItem(label, n + 1)}
              onClick={() => room.change(() => list.delete(n))}
            >
              <Icon name="x" />
            </button>
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

/** The field of one value, by its kind. */
function AnyField(props: FieldProps) {
  const { room, place, at, label, shape, path } = props;
  const value = getAt(place, at);
  if (value instanceof Y.Array) return <ListField {...props} list={value} />;
  if (value instanceof Y.Map)
    return (
      <fieldset class="group">
        <legend class="label">{label}</legend>
        <Fields room={room} map={value} shape={shape} path={path} />
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

/** The fields of an object of the draft, in the template's order. The main text has an editor of its own. */
export function Fields(props: { room: Room; map: Y.Map<unknown>; shape: unknown; path: string }) {
  const { room, map, shape, path } = props;
  const shaped = isObject(shape) ? shape : {};
  const others = [...map.keys()].filter((key) => !Object.hasOwn(shaped, key)).sort();
  const names = [...Object.keys(shaped), ...others];
  return (
    <>
      {names.map((name) => {
        if (!map.has(name) || map.get(name) instanceof Y.Text) return null;
        const below = path === "" ? name : `${path}.${name}`;
        return (
          <AnyField
            key={name}
            room={room}
            place={map}
            at={name}
            label={humanName(name)}
            shape={shaped[name]}
            path={below}
          />
        );
      })}
    </>
  );
}

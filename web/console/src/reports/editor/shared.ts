import * as Y from "yjs";
import { isObject } from "../json.ts";

/** A container of the draft, with fields or items. */
export type Place = Y.Map<unknown> | Y.Array<unknown>;

export const isPlace = (value: unknown): value is Place => value instanceof Y.Map || value instanceof Y.Array;

/** The shared form of a JSON value. */
export function toShared(value: unknown): unknown {
  if (Array.isArray(value)) {
    const list = new Y.Array<unknown>();
    list.push(value.map(toShared));
    return list;
  }
  if (!isObject(value)) return value;
  return new Y.Map(Object.entries(value).map(([key, inner]) => [key, toShared(inner)] as const));
}

/** A shared value as JSON. */
export const toJson = (value: unknown): unknown =>
  value instanceof Y.AbstractType ? (value.toJSON() as unknown) : value;

/** Sets a field of an object, or an item of a list. */
export function setAt(place: Place, key: string | number, value: unknown): void {
  if (place instanceof Y.Map) {
    place.set(String(key), toShared(value));
    return;
  }
  const at = Number(key);
  if (at < place.length) place.delete(at);
  place.insert(Math.min(at, place.length), [toShared(value)]);
}

export const getAt = (place: Place, key: string | number): unknown =>
  place instanceof Y.Map ? place.get(String(key)) : place.get(Number(key));

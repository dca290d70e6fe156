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

/** A place in the draft that stays with its item while others move the items of its list. */
export interface Spot {
  place: Place;
  at: string | number;
  item: unknown;
  position: Y.RelativePosition | null;
}

export const spotOf = (place: Place, at: string | number): Spot => ({
  place,
  at,
  item: getAt(place, at),
  position: place instanceof Y.Array ? Y.createRelativePositionFromTypeIndex(place, Number(at)) : null,
});

/** Sets the value at a spot. @returns where it is now; null if its item was removed meanwhile, and nothing was set */
export function setAtSpot({ place, at, item, position }: Spot, value: unknown): string | number | null {
  if (position === null || place.doc === null) {
    setAt(place, at, value);
    return at;
  }
  const found = Y.createAbsolutePositionFromRelativePosition(position, place.doc);
  if (found === null || getAt(place, found.index) !== item) return null;
  setAt(place, found.index, value);
  return found.index;
}

export const getAt = (place: Place, key: string | number): unknown =>
  place instanceof Y.Map ? place.get(String(key)) : place.get(Number(key));

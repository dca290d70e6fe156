import { useState } from "preact/hooks";
import * as Y from "yjs";
import { PICTURES } from "#texts/reports.ts";
import { IconButton } from "../../../../ui/buttons.tsx";
import { Icon } from "../../../../ui/icon.tsx";
import { frameOf, type KnownFrame, keyOf, momentOf, useKnownFrames } from "./frames.ts";
import { PicturePicker } from "./picker.tsx";
import { labelOf, type Picture } from "./picture.ts";
import type { Room } from "./room.ts";
import { getAt, type Place, setAt, toJson, toShared } from "./shared.ts";

/** A chosen frame: its thumbnail, the camera's name and the time there, and its caption. */
function Frame({ known, label }: { known: KnownFrame | undefined; label: string }) {
  return (
    <>
      {typeof known?.jpegBase64 === "string" ? (
        <img class="thumb" src={`data:image/jpeg;base64,${known.jpegBase64}`} alt="" />
      ) : (
        <span class="thumb">
          <Icon name="image" />
        </span>
      )}
      <span class="grow name nums">
        {label}
        {known !== undefined && known.words !== label && <span class="muted words">{known.words}</span>}
      </span>
    </>
  );
}

/** A field of one picture, or of a list of pictures. */
export function PictureField(props: {
  room: Room;
  place: Place;
  at: string | number;
  label: string;
  locationId: string;
}) {
  const { room, place, at, label, locationId } = props;
  const [choosing, setChoosing] = useState(false);
  const value = getAt(place, at);
  const list = value instanceof Y.Array ? value : null;
  const pictures = list === null ? [toJson(value)] : list.toArray().map(toJson);
  const shown = pictures
    .map((picture, n) => ({ n, label: labelOf(picture), frame: frameOf(picture) }))
    .filter((one) => one.label !== "");
  const known = useKnownFrames(
    shown.flatMap(({ frame }) => frame ?? []),
    locationId,
  );
  /** The words of a frame without a caption are its camera and its time. */
  const named = shown.map((one) => {
    const ofFrame = one.frame === null ? undefined : known.get(keyOf(one.frame));
    const words =
      one.frame !== null && one.label === one.frame.at ? (ofFrame?.words ?? momentOf(one.frame)) : one.label;
    return { ...one, ofFrame, label: words };
  });
  const isReadOnly = room.readOnly.value;
  const pick = (picture: Picture) =>
    room.change(() => {
      if (list === null) setAt(place, at, picture);
      else list.push([toShared(picture)]);
    });
  const remove = (n: number) => room.change(() => (list === null ? setAt(place, at, null) : list.delete(n)));
  return (
    <fieldset class="group">
      <legend class="label">{label}</legend>
      {named.map((one) => (
        <div key={one.n} class="row small">
          {one.frame === null ? (
            <>
              <span class="thumb">
                <Icon name="image" />
              </span>
              <span class="grow name">{one.label}</span>
            </>
          ) : (
            <Frame known={one.ofFrame} label={one.label} />
          )}
          {!isReadOnly && <IconButton icon="x" label={PICTURES.remove(one.label)} onPress={() => remove(one.n)} />}
        </div>
      ))}
      {!isReadOnly && (
        <button type="button" class="btn" aria-label={PICTURES.choose(label)} onClick={() => setChoosing(true)}>
          <Icon name="plus" />
          {PICTURES.title}
        </button>
      )}
      {choosing && (
        <PicturePicker locationId={locationId} inText={false} onPick={pick} onClose={() => setChoosing(false)} />
      )}
    </fieldset>
  );
}

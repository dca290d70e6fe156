import { useState } from "preact/hooks";
import * as Y from "yjs";
import { PICTURES } from "#texts/reports.ts";
import { dataOf } from "../../../../../client/src/index.ts";
import { Clock } from "../../../../archive/clock.ts";
import { Icon } from "../../../../ui/icon.tsx";
import { useLoaded } from "../../../../ui/loading.ts";
import { api } from "../../session.ts";
import { isObject } from "../json.ts";
import { frameTime, PicturePicker } from "./picker.tsx";
import { labelOf, type Picture } from "./picture.ts";
import type { Room } from "./room.ts";
import { getAt, type Place, setAt, toJson, toShared } from "./shared.ts";

/** A frame that a draft names by its camera and moment. */
interface ChosenFrame {
  cameraId: string;
  at: string;
}

const frameOf = (value: unknown): ChosenFrame | null =>
  isObject(value) && typeof value.cameraId === "string" && typeof value.at === "string"
    ? { cameraId: value.cameraId, at: value.at }
    : null;

/** A chosen frame: its thumbnail, and its caption or the camera's name and the time there. */
function Frame({ frame, locationId, caption }: { frame: ChosenFrame; locationId: string; caption: string }) {
  const { cameraId, at } = frame;
  const { data } = useLoaded(`${cameraId} ${at}`, async () => {
    const path = { cameraId };
    const [camera, { images }] = await Promise.all([
      dataOf(api.GET("/v1/cameras/{cameraId}", { params: { path } })),
      dataOf(
        api.POST("/v1/cameras/{cameraId}/previews", { params: { path, query: { locationId } }, body: { times: [at] } }),
      ),
    ]);
    return { camera, image: images[0] };
  });
  // A frame that is gone or hidden keeps the name that the draft has for it.
  const time = data && frameTime(new Clock(data.camera.timeZone), data.image?.capturedAtUtc ?? at);
  return (
    <>
      {data?.image === undefined ? (
        <Icon name="image" />
      ) : (
        <img class="thumb" src={`data:image/jpeg;base64,${data.image.jpegBase64}`} alt="" />
      )}
      <span class="grow name">{caption !== at || data === undefined ? caption : `${data.camera.name}, ${time}`}</span>
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
      {shown.map((one) => (
        <div key={one.n} class="row small">
          {one.frame === null ? (
            <>
              <Icon name="image" />
              <span class="grow name">{one.label}</span>
            </>
          ) : (
            <Frame frame={one.frame} locationId={locationId} caption={one.label} />
          )}
          {!isReadOnly && (
            <button
              type="button"
              class="btn bare icon-only"
              aria-label={PICTURES.remove(one.label)}
              onClick={() => remove(one.n)}
            >
              <Icon name="x" />
            </button>
          )}
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

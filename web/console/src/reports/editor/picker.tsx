import { useState } from "preact/hooks";
import { PICTURES } from "#texts/reports.ts";
import { type Document, dataOf, eachItem } from "../../../../../client/src/index.ts";
import { Clock } from "../../../../archive/clock.ts";
import { MomentField } from "../../../../archive/range.tsx";
import { Cancel, Dialog } from "../../../../ui/dialog.tsx";
import { Choice, Field, Form } from "../../../../ui/form.tsx";
import { Icon } from "../../../../ui/icon.tsx";
import { useLoaded } from "../../../../ui/loading.ts";
import { Alert } from "../../../../ui/notice.tsx";
import { recent } from "../../platform/recent.ts";
import { api } from "../../platform/session.ts";
import { frameTime } from "./frames.ts";
import type { Picture } from "./picture.ts";

/** Maximum number of documents that are searched for pictures. */
const MAX_DOCUMENTS = 500;
/** Number of frames that are shown around a moment, and the time between them, milliseconds. */
const SHOWN_FRAMES = 12;
const FRAME_STEP_MS = 20 * 60_000;
const PRINTED = ["image/jpeg", "image/png", "image/webp"];

async function readPictures(locationId: string): Promise<Document[]> {
  const found: Document[] = [];
  let seen = 0;
  const pages = eachItem((cursor) =>
    dataOf(
      api.GET("/v1/spatial/locations/{locationId}/documents", {
        params: { path: { locationId }, query: { limit: 100, cursor } },
      }),
    ),
  );
  for await (const document of pages) {
    if (PRINTED.includes(document.contentType)) found.push(document);
    seen++;
    if (seen === MAX_DOCUMENTS) break;
  }
  return found;
}

const pathOf = ({ path, fileName }: Document): string => (path === "" ? fileName : `${path}/${fileName}`);

interface ChoiceProps {
  locationId: string;
  chosen: string;
  onChoose: (key: string, picture: Picture) => void;
}

/** The thumbnail of a picture of the documents. */
function Thumbnail({ document }: { document: Document }) {
  const { data, error } = useLoaded(`${document.id} ${document.version}`, () =>
    dataOf(
      api.GET("/v1/documents/{documentId}/download", {
        params: { path: { documentId: document.id }, query: { linkType: "small" } },
        headers: { accept: "application/json" },
      }),
    ),
  );
  // Without its thumbnail, a picture can still be chosen by its name.
  if (error !== undefined) return <Icon name="image" />;
  return data === undefined ? <span class="skel" /> : <img src={data.url} alt="" />;
}

function FromDocuments({ locationId, chosen, onChoose }: ChoiceProps) {
  const { data, error, reload } = useLoaded(locationId, () => readPictures(locationId));
  if (error !== undefined) return <Alert title={PICTURES.documentsFailed} error={error} onRetry={reload} />;
  if (data === undefined) return <p class="muted">{PICTURES.documentsLoading}</p>;
  if (data.length === 0) return <p class="muted">{PICTURES.noDocuments}</p>;
  return (
    <div class="picker">
      {data.map((document) => (
        <button
          key={document.id}
          type="button"
          aria-pressed={chosen === document.id}
          onClick={() => onChoose(document.id, { documentPath: pathOf(document) })}
        >
          <Thumbnail document={document} />
          <span class="cut">{document.fileName}</span>
        </button>
      ))}
    </div>
  );
}

async function readFrames(cameraId: string, locationId: string, around: number) {
  const first = around - Math.floor(SHOWN_FRAMES / 2) * FRAME_STEP_MS;
  const times = Array.from({ length: SHOWN_FRAMES }, (_, n) => new Date(first + n * FRAME_STEP_MS).toISOString());
  const params = { path: { cameraId }, query: { locationId } };
  const { images } = await dataOf(api.POST("/v1/cameras/{cameraId}/previews", { params, body: { times } }));
  return images.sort((a, b) => Date.parse(a.capturedAtUtc) - Date.parse(b.capturedAtUtc));
}

function Frames(props: ChoiceProps & { cameraId: string; around: number; clock: Clock }) {
  const { cameraId, locationId, around, clock, chosen, onChoose } = props;
  const { data, error, reload } = useLoaded(`${cameraId} ${around}`, () => readFrames(cameraId, locationId, around));
  if (error !== undefined) return <Alert title={PICTURES.framesFailed} error={error} onRetry={reload} />;
  if (data === undefined) return <p class="muted">{PICTURES.framesLoading}</p>;
  if (data.length === 0) return <p class="muted">{PICTURES.noFrames}</p>;
  return (
    <div class="picker">
      {data.map(({ captureId, capturedAtUtc, jpegBase64 }) => (
        <button
          key={captureId}
          type="button"
          aria-pressed={chosen === captureId}
          aria-label={PICTURES.frame(frameTime(clock, capturedAtUtc))}
          onClick={() => onChoose(captureId, { cameraId, at: capturedAtUtc })}
        >
          <img src={`data:image/jpeg;base64,${jpegBase64}`} alt="" />
          <time class="nums" dateTime={capturedAtUtc}>
            {frameTime(clock, capturedAtUtc)}
          </time>
        </button>
      ))}
    </div>
  );
}

function FromCameras(props: ChoiceProps) {
  const { locationId } = props;
  const { data, error, reload } = useLoaded(locationId, async () => {
    const { items } = await dataOf(api.GET("/v1/cameras", { params: { query: { locationId, limit: 100 } } }));
    return items;
  });
  const [cameraId, setCameraId] = useState(recent.cameraId);
  const [wanted, setWanted] = useState<number | null>(null);
  if (error !== undefined) return <Alert title={PICTURES.camerasFailed} error={error} onRetry={reload} />;
  if (data === undefined) return <p class="muted">{PICTURES.camerasLoading}</p>;
  const camera = data.find(({ id }) => id === cameraId) ?? data[0];
  if (camera === undefined) return <p class="muted">{PICTURES.noCameras}</p>;
  const clock = new Clock(camera.timeZone);
  // A camera that is silent has no frames around the current time.
  const around = wanted ?? (camera.lastCaptureAtUtc === null ? Date.now() : Date.parse(camera.lastCaptureAtUtc));
  return (
    <>
      <Choice
        label={PICTURES.camera}
        name="camera"
        options={data.map(({ id, name }) => ({ value: id, label: name }))}
        value={camera.id}
        onChange={setCameraId}
      />
      <MomentField
        label={PICTURES.at(clock.timeZone)}
        clock={clock}
        value={around}
        min={0}
        max={Date.now()}
        onChange={setWanted}
      />
      <Frames {...props} cameraId={camera.id} around={around} clock={clock} />
    </>
  );
}

const SOURCES = ["documents", "cameras"] as const;
const WIDTHS = Object.entries(PICTURES.widths).map(([value, label]) => ({ value, label }));

/** The window that chooses a picture of the location's documents or cameras. */
export function PicturePicker(props: {
  locationId: string;
  /** Whether the picture is inserted into a text, where it has a width. */
  inText: boolean;
  onPick: (picture: Picture, width: string) => void;
  onClose: () => void;
}) {
  const { locationId, inText, onPick, onClose } = props;
  const [source, setSource] = useState<(typeof SOURCES)[number]>("documents");
  const [chosen, setChosen] = useState<{ key: string; picture: Picture } | null>(null);
  const choice = {
    locationId,
    chosen: chosen?.key ?? "",
    onChoose: (key: string, picture: Picture) => setChosen({ key, picture }),
  };
  return (
    <Dialog title={PICTURES.title} onClose={onClose}>
      <Form
        send={PICTURES.insert}
        failed={PICTURES.failed}
        onSend={async (value) => {
          if (chosen === null) return;
          const caption = value("caption").trim();
          onClose();
          onPick({ ...chosen.picture, ...(caption !== "" && { caption }) }, value("width"));
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <fieldset class="seg">
          <legend class="sr">{PICTURES.source}</legend>
          {SOURCES.map((one) => (
            <button key={one} type="button" aria-pressed={one === source} onClick={() => setSource(one)}>
              {PICTURES[one]}
            </button>
          ))}
        </fieldset>
        {source === "documents" ? <FromDocuments {...choice} /> : <FromCameras {...choice} />}
        <Field label={PICTURES.caption} name="caption" maxLength={300} help={PICTURES.frameCaption} />
        {inText && <Choice label={PICTURES.width} name="width" options={WIDTHS} value="" />}
        <p class="small muted" role="status">
          {chosen === null && PICTURES.nothing}
        </p>
      </Form>
    </Dialog>
  );
}

import { ANNOTATIONS } from "#texts/annotations.ts";
import { type Annotation, dataOf } from "../../../../client/src/index.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Area, Degrees, Field, Form } from "../../../ui/form.tsx";
import { api } from "../platform/session.ts";

const KINDS = ["note", "defect", "measurement", "task"];

/** The position of two fields; null if both are empty. A position in another coordinate system does not change. */
function positionOf(latitude: string, longitude: string, before: Annotation["position"]): Annotation["position"] {
  if (latitude.trim() === "" && longitude.trim() === "")
    return before !== null && !("latitude" in before) ? before : null;
  const altitude = before !== null && "latitude" in before ? before.altitude : undefined;
  return {
    latitude: Number(latitude),
    longitude: Number(longitude),
    ...(altitude !== undefined && { altitude }),
  };
}

/** Creates an annotation of a location, or changes one. */
export function AnnotationForm(props: {
  locationId: string;
  annotation: Annotation | null;
  onClose: (changed: boolean) => void;
}) {
  const text = ANNOTATIONS;
  const { locationId, annotation, onClose } = props;
  const position = annotation?.position ?? null;
  const degrees = position !== null && "latitude" in position ? position : null;
  const save = async (value: (name: string) => string) => {
    const body = {
      kind: value("kind").trim(),
      title: value("title").trim(),
      body: value("body"),
      position: positionOf(value("latitude"), value("longitude"), position),
    };
    if (annotation === null)
      await dataOf(
        api.POST("/v1/spatial/locations/{locationId}/annotations", { params: { path: { locationId } }, body }),
      );
    else
      await dataOf(
        api.PATCH("/v1/annotations/{annotationId}", {
          params: { path: { annotationId: annotation.id } },
          body: { ...body, baseRevision: annotation.revision },
        }),
      );
    onClose(true);
  };
  return (
    <Dialog title={annotation === null ? text.create : text.editTitle} onClose={() => onClose(false)}>
      <Form send={text.send} failed={text.saveFailed} onSend={save} beside={<Cancel onClose={() => onClose(false)} />}>
        <Field
          label={text.name}
          name="title"
          defaultValue={annotation?.title ?? ""}
          required
          maxLength={200}
          autofocus
        />
        <Field
          label={text.kind}
          name="kind"
          defaultValue={annotation?.kind ?? "note"}
          help={text.kindHelp}
          required
          maxLength={64}
          list="annotation-kinds"
        />
        <datalist id="annotation-kinds">
          {KINDS.map((kind) => (
            <option key={kind} value={kind} />
          ))}
        </datalist>
        <Area label={text.body} name="body" defaultValue={annotation?.body ?? ""} maxLength={20_000} />
        <Degrees labels={text} value={degrees} />
        <p class="help">{text.positionHelp}</p>
      </Form>
    </Dialog>
  );
}

import { useEffect, useState } from "preact/hooks";
import { ANNOTATIONS } from "#texts/annotations.ts";
import { COMMON } from "#texts/common.ts";
import { type Annotation, dataOf } from "../../../../client/src/index.ts";
import { AddButton, IconButton } from "../../../ui/buttons.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { timeOf } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { More } from "../../../ui/more.tsx";
import { Alert, CalmCard, Waiting } from "../../../ui/notice.tsx";
import { usePages } from "../../../ui/pages.ts";
import type { TabProps } from "../platform/lazy.tsx";
import { useFresh } from "../platform/live/index.ts";
import { address } from "../platform/router.ts";
import { api } from "../platform/session.ts";
import { AnnotationForm } from "./annotation-form.tsx";
import { Plan } from "./map.tsx";

const PAGE_SIZE = 50;

function positionText({ position }: Annotation): string | null {
  if (position === null) return null;
  return "latitude" in position
    ? ANNOTATIONS.at(position.latitude, position.longitude)
    : ANNOTATIONS.inFrame(position.x, position.y);
}

interface RowProps {
  annotation: Annotation;
  shown: boolean;
  /** Changes or deletes it; null if the person may not. */
  onEdit: (() => void) | null;
  onRemove: (() => void) | null;
}

function Row({ annotation, shown, onEdit, onRemove }: RowProps) {
  const text = ANNOTATIONS;
  const { id, title, body, kind, updatedAtUtc } = annotation;
  const place = positionText(annotation);
  return (
    <li id={`annotation-${id}`} class={shown ? "open" : undefined} aria-current={shown ? "true" : undefined}>
      <Icon name="note" />
      <span class="grow cutwords">
        <b class="strong">{title}</b> <span class="chip">{kind}</span>
        {body !== "" && <span class="body">{body}</span>}
        <span class="small muted nums">
          {place !== null && `${place} · `}
          <time dateTime={updatedAtUtc}>{timeOf(updatedAtUtc)}</time>
        </span>
      </span>
      <span class="row does">
        {onEdit && (
          <button type="button" class="btn bare" aria-label={text.edit(title)} onClick={onEdit}>
            {COMMON.edit}
          </button>
        )}
        {onRemove && <IconButton icon="trash" label={text.remove(title)} onPress={onRemove} />}
      </span>
    </li>
  );
}

/** The annotations of a location. The address contains the shown one. */
export default function Annotations({ location }: TabProps) {
  const text = ANNOTATIONS;
  const { id: locationId, latitude, longitude, capabilities } = location;
  const writable = capabilities.LocationBundles === "Write";
  const { items, more, error, slow, reload } = usePages(locationId, (cursor) =>
    dataOf(
      api.GET("/v1/spatial/locations/{locationId}/annotations", {
        params: { path: { locationId }, query: { limit: PAGE_SIZE, cursor } },
      }),
    ),
  );
  const [editing, setEditing] = useState<Annotation | "new" | null>(null);
  const [removing, setRemoving] = useState<Annotation | null>(null);
  useFresh(
    [locationId],
    reload,
    (event) =>
      event.kind === "PositionChanged" || (event.kind === "StateUpdated" && event.subject.type === "annotation"),
  );
  const wanted = address.value.searchParams.get("annotation");
  const isThere = items?.some(({ id }) => id === wanted) ?? false;
  useEffect(() => {
    if (isThere) document.getElementById(`annotation-${wanted}`)?.scrollIntoView({ block: "center" });
  }, [isThere, wanted]);
  const points = (items ?? []).flatMap(({ title, position }) =>
    position !== null && "latitude" in position ? [{ ...position, title }] : [],
  );
  const create = writable && <AddButton label={text.create} onPress={() => setEditing("new")} />;
  return (
    <section class="stack" aria-labelledby="annotations-title">
      <header class="row wrap">
        <h2 id="annotations-title" class="grow">
          {text.title}
        </h2>
        {items !== undefined && items.length > 0 && create}
      </header>
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && <Waiting text={text.loading} />}
      {items?.length === 0 && (
        <CalmCard icon="note" title={text.none} help={writable ? text.noneHelp : text.noneReadOnly}>
          {create}
        </CalmCard>
      )}
      {items !== undefined && items.length > 0 && (
        <div class="overview">
          <ul class="card list annotations">
            {items.map((one) => (
              <Row
                key={one.id}
                annotation={one}
                shown={one.id === wanted}
                onEdit={writable ? () => setEditing(one) : null}
                onRemove={writable ? () => setRemoving(one) : null}
              />
            ))}
          </ul>
          {latitude !== null && longitude !== null && points.length > 0 && (
            <div class="card">
              <Plan middle={{ latitude, longitude }} points={points} />
            </div>
          )}
        </div>
      )}
      <More more={more} />
      {editing !== null && (
        <AnnotationForm
          locationId={locationId}
          annotation={editing === "new" ? null : editing}
          onClose={(changed) => {
            setEditing(null);
            if (changed) reload();
          }}
        />
      )}
      {removing !== null && (
        <Confirm
          title={text.removeTitle}
          help={text.removeHelp(removing.title)}
          send={text.removeSend}
          failed={text.removeFailed}
          onSend={async () => {
            await dataOf(
              api.DELETE("/v1/annotations/{annotationId}", { params: { path: { annotationId: removing.id } } }),
            );
            reload();
          }}
          onClose={() => setRemoving(null)}
        />
      )}
    </section>
  );
}

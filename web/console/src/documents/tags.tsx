import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { DOCUMENTS } from "#texts/documents.ts";
import { byName } from "#texts/language.ts";
import { dataOf, eachItem, type Tag } from "../../../../client/src/index.ts";
import { IconButton } from "../../../ui/buttons.tsx";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Field, Form } from "../../../ui/form.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { type Loaded, useLoaded } from "../../../ui/loading.ts";
import { Alert } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";
import { PERSONAL } from "../platform/workspace.ts";
import { changeMany } from "./bulk.ts";
import { tellChanged } from "./changed.ts";
import type { At, Selection } from "./selection.ts";

const COLORS = ["grey", "red", "orange", "yellow", "green", "teal", "blue", "purple", "pink", "brown"] as const;

/** A tag: its name beside its colour. */
export const TagChip = ({ tag: { name, color } }: { tag: Pick<Tag, "name" | "color"> }) => (
  <span class={`tag ${color}`}>{name}</span>
);

/** Counts the changes of tags in this tab: each list of tags is read again after one. */
const edition = signal(0);

/** The tags of a workspace by name. A guest of it sees none. */
export const useTags = (organizationId: string | null): Loaded<Tag[]> =>
  useLoaded(`tags ${organizationId} ${edition.value}`, async () => {
    const query = { organizationId: organizationId ?? PERSONAL, limit: 100 };
    const all: Tag[] = [];
    for await (const tag of eachItem((cursor) =>
      dataOf(api.GET("/v1/tags", { params: { query: { ...query, cursor } } })),
    ))
      all.push(tag);
    return all.sort((a, b) => byName(a.name, b.name));
  });

/** The name and the colour of a new tag or of one that exists, which can be deleted here too. */
function EditTag(props: {
  organizationId: string | null;
  tag: Tag | null;
  onClose: () => void;
  /** Gets the tag as it is now; null after its deletion. */
  onEnd: (changed: Tag | null) => void;
}) {
  const text = DOCUMENTS;
  const { organizationId, tag, onClose, onEnd } = props;
  const [color, setColor] = useState<Tag["color"]>(tag?.color ?? "teal");
  const [error, setError] = useState<unknown>(undefined);
  const params = { path: { tagId: tag?.id ?? "" } };
  const remove = () =>
    dataOf(api.DELETE("/v1/tags/{tagId}", { params })).then(
      () => onEnd(null),
      (thrown: unknown) => setError(thrown),
    );
  return (
    <Form
      send={text.save}
      failed={text.tagFailed}
      onSend={async (value) => {
        const name = value("name").trim();
        if (tag === null) onEnd(await dataOf(api.POST("/v1/tags", { body: { organizationId, name, color } })));
        else {
          const body = { name, color, baseRevision: tag.revision };
          onEnd(await dataOf(api.PATCH("/v1/tags/{tagId}", { params, body })));
        }
      }}
      beside={
        <>
          {tag !== null && (
            <button type="button" class="btn" onClick={() => void remove()}>
              {text.deleteTag}
            </button>
          )}
          <Cancel onClose={onClose} />
        </>
      }
    >
      <Field label={text.tagName} name="name" defaultValue={tag?.name ?? ""} required maxLength={60} autofocus />
      <fieldset class="colors">
        <legend>{text.color}</legend>
        {COLORS.map((one) => (
          <label key={one} class={`color ${one}`}>
            <input type="radio" name="color" checked={color === one} onChange={() => setColor(one)} />
            <span>{text.colors[one]}</span>
          </label>
        ))}
      </fieldset>
      {error !== undefined && <Alert title={text.tagFailed} error={error} />}
    </Form>
  );
}

/** Gives tags to the selected documents and takes them away. Tags are made, renamed and deleted here too. */
export function TagDialog({ at, selection, onClose }: { at: At; selection: Selection; onClose: () => void }) {
  const text = DOCUMENTS;
  const { organizationId, locationId } = at;
  const { documents, ids } = selection;
  const { data: tags, error, reload } = useTags(organizationId);
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  // The tag that is changed, or null for a new one, in the window that is open for it.
  const [edited, setEdited] = useState<{ tag: Tag | null } | null>(null);
  const haveIt = (id: string) => documents.filter((one) => one.tags.some((tag) => tag.id === id)).length;
  // Of documents on pages that were not read, nobody knows it.
  const isKnown = documents.length === ids.length;
  if (edited !== null)
    return (
      <Dialog title={edited.tag === null ? text.newTag : text.editTag(edited.tag.name)} onClose={() => setEdited(null)}>
        <EditTag
          organizationId={organizationId}
          tag={edited.tag}
          onClose={() => setEdited(null)}
          onEnd={(changed) => {
            setEdited(null);
            edition.value++;
            if (edited.tag !== null)
              tellChanged({ ids: [], gone: [], by: "act", tag: { id: edited.tag.id, now: changed } });
          }}
        />
      </Dialog>
    );
  return (
    <Dialog title={text.tagsOf(ids.length)} onClose={onClose}>
      <Form
        send={text.save}
        failed={text.changeFailed}
        onSend={async () => {
          const add = [...chosen].flatMap(([id, isOn]) => (isOn ? [id] : []));
          const remove = [...chosen].flatMap(([id, isOn]) => (isOn ? [] : [id]));
          if (chosen.size === 0) return onClose();
          const changes = ids.map((documentId) => ({ type: "tag" as const, documentId, add, remove }));
          await changeMany(locationId, changes, text.tagged, onClose);
        }}
        beside={<Cancel onClose={onClose} />}
      >
        {error !== undefined && <Alert title={text.tagsFailed} error={error} onRetry={reload} />}
        {tags?.length === 0 && <p class="muted">{text.noTags}</p>}
        <ul class="tag-choice">
          {tags?.map((tag) => {
            const count = haveIt(tag.id);
            const isOn = chosen.get(tag.id) ?? (isKnown && count === ids.length);
            return (
              <li key={tag.id} class="row">
                <label class="check grow">
                  <input
                    type="checkbox"
                    checked={isOn}
                    ref={(box) => {
                      if (box) box.indeterminate = !chosen.has(tag.id) && !isOn && (count > 0 || !isKnown);
                    }}
                    onChange={() => setChosen(new Map([...chosen, [tag.id, !isOn]]))}
                  />
                  <TagChip tag={tag} />
                </label>
                <IconButton icon="pen" label={text.editTag(tag.name)} onPress={() => setEdited({ tag })} />
              </li>
            );
          })}
        </ul>
        <p>
          <button type="button" class="btn" onClick={() => setEdited({ tag: null })}>
            <Icon name="plus" />
            {text.newTag}
          </button>
        </p>
      </Form>
    </Dialog>
  );
}

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { DOCUMENTS } from "#texts/documents.ts";
import { FOLDERS } from "#texts/folders.ts";
import type { Folder } from "../../../../client/src/index.ts";
import { folderPath } from "../../../../src/platform/paths.ts";
import { BusyButton, IconButton } from "../../../ui/buttons.tsx";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Field, Form } from "../../../ui/form.tsx";
import { Icon } from "../../../ui/icon.tsx";
import type { Loaded } from "../../../ui/loading.ts";
import { Alert, sayFailed } from "../../../ui/notice.tsx";
import { useFresh } from "../platform/live/index.ts";
import { draggable, dropTarget } from "./dragging.ts";
import { joinPath, makeFolder, moveFolder, nameOfFolder, parentOf, removeFolder, runningChange } from "./folders.ts";
import { folderOf, useLocationChoice } from "./location-choice.tsx";
import { downloadFolder } from "./zip.ts";

/** The location whose folders are shown. */
interface Place {
  organizationId: string | null;
  locationId: string;
}

/** Makes a folder in the folder that is shown. */
export function NewFolder({
  locationId,
  folder,
  onClose,
}: {
  locationId: string;
  folder: string;
  onClose: () => void;
}) {
  return (
    <Dialog title={FOLDERS.create} onClose={onClose}>
      <Form
        send={FOLDERS.create}
        failed={FOLDERS.createFailed}
        onSend={async (value) => {
          await makeFolder(locationId, joinPath(folder, folderOf(value("name"))));
          onClose();
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <Field label={FOLDERS.name} name="name" required maxLength={255} help={FOLDERS.createHelp} autofocus />
      </Form>
    </Dialog>
  );
}

/** Moves a folder into another one, of this location or of another one of the workspace. */
function MoveFolder({ at, path, onClose }: { at: Place; path: string; onClose: () => void }) {
  const { locationId } = at;
  const name = nameOfFolder(path);
  const location = useLocationChoice(at);
  return (
    <Dialog title={FOLDERS.move(name)} onClose={onClose}>
      <Form
        send={FOLDERS.moveSend}
        failed={FOLDERS.moveFailed}
        onSend={async (value) => {
          await moveFolder(locationId, path, joinPath(folderOf(value("into")), name), location.to);
          onClose();
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <Field
          label={FOLDERS.into}
          name="into"
          defaultValue={parentOf(path)}
          maxLength={500}
          help={FOLDERS.intoHelp}
          autofocus
        />
        {location.field}
      </Form>
    </Dialog>
  );
}

/** The name of a folder as a field in its place: Enter or another place saves it, Escape leaves it as it was. */
function FolderName({ locationId, path, onEnd }: { locationId: string; path: string; onEnd: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const isEnded = useRef(false);
  // Before the page is drawn, so that nothing that is typed goes elsewhere.
  useLayoutEffect(() => field.current?.select(), []);
  const end = async (isKept: boolean) => {
    if (isEnded.current) return;
    isEnded.current = true;
    const name = folderOf(field.current?.value ?? "");
    onEnd();
    if (!isKept || name === "") return;
    try {
      await moveFolder(locationId, path, joinPath(parentOf(path), name));
    } catch (thrown) {
      sayFailed(FOLDERS.renameFailed, thrown);
    }
  };
  return (
    <form
      class="grow"
      onSubmit={(event) => {
        event.preventDefault();
        void end(true);
      }}
    >
      <input
        ref={field}
        class="input"
        aria-label={FOLDERS.name}
        defaultValue={nameOfFolder(path)}
        maxLength={255}
        onBlur={() => void end(true)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Escape") void end(false);
        }}
      />
    </form>
  );
}

/** A folder: a link to it that takes what is dropped on it, and what can be done with it. */
function FolderItem({ at, folder, writable }: { at: Place; folder: Folder; writable: boolean }) {
  const { locationId } = at;
  const { path, name } = folder;
  const [open, setOpen] = useState<"rename" | "move" | null>(null);
  const { class: taking, ...drop } = writable ? dropTarget(path) : { class: undefined };
  const isRenamed = open === "rename";
  return (
    <li
      class={`card folder-item row ${taking ?? ""}`}
      {...drop}
      {...(writable && !isRenamed && draggable(() => ({ locationId, folder: path })))}
      onKeyDown={(event) => {
        if (!writable || open !== null) return;
        if (event.key === "F2") setOpen("rename");
        else if (event.key === "Delete") void removeFolder(locationId, path);
        else return;
        event.preventDefault();
      }}
    >
      <Icon name="folder" />
      {isRenamed ? (
        <FolderName locationId={locationId} path={path} onEnd={() => setOpen(null)} />
      ) : (
        <a class="grow" href={folderPath(locationId, path)} title={name} draggable={false}>
          <span class="name">{name}</span>
        </a>
      )}
      {writable && !isRenamed && (
        <span class="row acts">
          <IconButton icon="pen" label={FOLDERS.rename(name)} onPress={() => setOpen("rename")} />
          <IconButton icon="folder" label={FOLDERS.move(name)} onPress={() => setOpen("move")} />
          <BusyButton bare label={FOLDERS.remove(name)} onPress={() => removeFolder(locationId, path)}>
            <Icon name="trash" />
          </BusyButton>
        </span>
      )}
      {open === "move" && <MoveFolder at={at} path={path} onClose={() => setOpen(null)} />}
    </li>
  );
}

/** The shown folder and the folders above it, which are links. They take what is dropped on them. */
export function FolderTrail({
  locationId,
  folder,
  writable,
}: {
  locationId: string;
  folder: string;
  writable: boolean;
}) {
  const parts = folder.split("/");
  return (
    <nav class="row wrap folders" aria-label={DOCUMENTS.folders}>
      <a href={folderPath(locationId, "")} {...(writable && dropTarget(""))}>
        {DOCUMENTS.allFolders}
      </a>
      {parts.map((name, n) => {
        const path = parts.slice(0, n + 1).join("/");
        return (
          <span key={path} class="row">
            <Icon name="right" />
            {n === parts.length - 1 ? (
              <b aria-current="page">{name}</b>
            ) : (
              <a href={folderPath(locationId, path)} {...(writable && dropTarget(path))}>
                {name}
              </a>
            )}
          </span>
        );
      })}
      <button type="button" class="btn bare" onClick={() => void downloadFolder(locationId, folder)}>
        <Icon name="download" />
        {DOCUMENTS.zipFolder}
      </button>
    </nav>
  );
}

/** The change of a large folder that runs, with its progress. */
function Running({ locationId }: { locationId: string }) {
  const running = runningChange.value;
  // The undo of a move to another location runs there, and brings the folder back here.
  if (running === null || ![running.locationId, running.change.newLocationId].includes(locationId)) return null;
  const { type, path, done, refused, total } = running.change;
  const label = FOLDERS.running[type](nameOfFolder(path));
  return (
    <div class="card pad row wrap folder-progress" role="status">
      <span class="grow">{label}</span>
      <progress aria-label={label} max={Math.max(total, 1)} value={done + refused} />
      <span class="small muted nums">{FOLDERS.progress(done + refused, total)}</span>
    </div>
  );
}

/** The folders in the folder that is shown. */
export function FolderList(props: { at: Place; loaded: Loaded<Folder[]>; writable: boolean }) {
  const { locationId } = props.at;
  const { writable } = props;
  const { data: folders, error, reload } = props.loaded;
  useFresh([locationId], reload, (event) => event.kind !== "PositionChanged" && isOfFolders(event));
  return (
    <>
      <Running locationId={locationId} />
      {error !== undefined && <Alert title={FOLDERS.failed} error={error} onRetry={reload} />}
      {folders !== undefined && folders.length > 0 && (
        <ul class="folder-list" aria-label={FOLDERS.title}>
          {folders.map((one) => (
            <FolderItem key={one.path} at={props.at} folder={one} writable={writable} />
          ))}
        </ul>
      )}
    </>
  );
}

/** Whether an event can change the folders: documents bring folders and take them away. */
const isOfFolders = (event: { kind: string; subject?: { type: string } }): boolean =>
  event.kind === "DocumentUploaded" || event.subject?.type === "document" || event.subject?.type === "folder";

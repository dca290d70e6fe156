import { useState } from "preact/hooks";
import { MOVES } from "#texts/admin.ts";
import { COMMON } from "#texts/common.ts";
import { number, sizeOf } from "#texts/language.ts";
import { type DatabaseStatus, dataOf, type OrganizationPlacement } from "../../../../client/src/index.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Form } from "../../../ui/form.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { useLooks } from "../../../ui/looking.ts";
import { Alert, Waiting } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";
import { readOrganizations } from "../platform/workspace.ts";

/** Time between two looks at a move, milliseconds. */
const LOOK_MS = 2_000;
const PATH = "/v1/admin/organizations/{organizationId}/move";

/** A move in these states goes on by itself. `opened`: what is left concerns nobody. */
const UNDER_WAY: readonly string[] = ["copying", "undoing", "switched"];

type Move = NonNullable<OrganizationPlacement["move"]>;

/** The latest move: its state, and its progress while it copies. */
function State({ name, move }: { name: string; move: Move }) {
  const text = MOVES;
  const { done, total } = move.progress;
  return (
    <>
      <p role="status">{text.states[move.state](move.to)}</p>
      {move.state === "copying" && total > 0 && (
        <p class="stack">
          <progress aria-label={text.progressOf(name)} max={total} value={done} />
          <span class="small muted nums">{text.progress(number(done), number(total))}</span>
        </p>
      )}
    </>
  );
}

/** The databases that an organization can move to. */
const targetsOf = (databases: readonly DatabaseStatus[], { database }: OrganizationPlacement) =>
  databases.filter(({ name, hasWorkspaces }) => hasWorkspaces && name !== database);

/** The window that moves an organization to another database, and shows how far the move is. */
export function MoveOrganization(props: {
  organization: { id: string; name: string };
  databases: readonly DatabaseStatus[];
  onClose: () => void;
}) {
  const text = MOVES;
  const { id, name } = props.organization;
  const params = { path: { organizationId: id } };
  const { data, error, slow, reload } = useLoaded(`move ${id}`, () => dataOf(api.GET(PATH, { params })));
  const [failure, setFailure] = useState<unknown>(null);
  const move = data?.move ?? null;
  const isUnderWay = move !== null && UNDER_WAY.includes(move.state);
  useLooks(isUnderWay ? LOOK_MS : null, reload);
  const changed = async () => {
    reload();
    // The line of the console shows the move too.
    await readOrganizations();
  };
  const undo = async () => {
    setFailure(null);
    try {
      await dataOf(api.DELETE(PATH, { params }));
      await changed();
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  return (
    <Dialog title={text.title(name)} onClose={props.onClose}>
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {data && move && <State name={name} move={move} />}
      {data && !isUnderWay && (
        <Form
          send={text.begin}
          failed={text.beginFailed}
          onSend={async (value) => {
            await dataOf(api.POST(PATH, { params, body: { database: value("database") } }));
            await changed();
          }}
          beside={<Cancel onClose={props.onClose} />}
        >
          <p>{text.isIn(data.database)}</p>
          <label class="field">
            <span class="label">{text.to}</span>
            <select class="input" name="database" required>
              {targetsOf(props.databases, data).map((one) => (
                <option key={one.name} value={one.name}>
                  {text.choice(one.name, sizeOf(one.sizeBytes))}
                </option>
              ))}
            </select>
          </label>
          <p class="small muted">{text.estimate(data.rows, data.passages, data.estimatedSeconds)}</p>
        </Form>
      )}
      {isUnderWay && (
        <div class="stack form">
          {failure !== null && <Alert title={text.undoFailed} error={failure} />}
          <div class="row buttons">
            {move.state === "copying" && (
              <button type="button" class="btn" onClick={undo}>
                {text.undo}
              </button>
            )}
            <button type="button" class="btn primary" onClick={props.onClose}>
              {COMMON.close}
            </button>
          </div>
        </div>
      )}
    </Dialog>
  );
}

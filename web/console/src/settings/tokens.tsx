import { useState } from "preact/hooks";
import { list } from "#texts/language.ts";
import { TOKENS } from "#texts/settings.ts";
import {
  type Capabilities,
  type CreatedPersonalAccessToken,
  dataOf,
  eachItem,
  type PersonalAccessToken,
} from "../../../../client/src/index.ts";
import { AddButton } from "../../../ui/buttons.tsx";
import { Secret } from "../../../ui/copy.tsx";
import { Cancel, Confirm, Dialog } from "../../../ui/dialog.tsx";
import { Choice, Field, Form } from "../../../ui/form.tsx";
import { timeOf } from "../../../ui/format.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, CalmCard, say, Waiting } from "../../../ui/notice.tsx";
import { PageHead } from "../../../ui/page-head.tsx";
import { ALL_CAPABILITIES, inWords, LevelFields } from "../people/index.ts";
import { api } from "../platform/session.ts";
import { organizations } from "../platform/workspace.ts";

const DAY_MS = 86_400_000;
const EVERYWHERE = "";

type Access = keyof typeof TOKENS.accesses;
const ACCESSES = Object.keys(TOKENS.accesses) as Access[];
const READ_ALL: Capabilities = Object.fromEntries(ALL_CAPABILITIES.map((one) => [one, "Read"]));

const readTokens = (): Promise<PersonalAccessToken[]> =>
  Array.fromAsync(
    eachItem((cursor) => dataOf(api.GET("/v1/auth/tokens", { params: { query: { limit: 100, cursor } } }))),
  );

function accessOf(capabilities: Capabilities | null): string {
  const { limits } = TOKENS;
  if (capabilities === null) return limits.all;
  const levels = ALL_CAPABILITIES.map((one) => capabilities[one] ?? "None");
  return levels.every((level) => level === "Read") ? limits.read : inWords(capabilities) || limits.some;
}

function NewToken({ onMade, onClose }: { onMade: (token: CreatedPersonalAccessToken) => void; onClose: () => void }) {
  const text = TOKENS;
  const [access, setAccess] = useState<Access>("read");
  const [levels, setLevels] = useState<Capabilities>({ LocationView: "Read", Documents: "Read" });
  const expiries = Object.entries(text.expiries).map(([value, label]) => ({ value, label }));
  return (
    <Dialog title={text.create} onClose={onClose}>
      <Form
        send={text.send}
        failed={text.failed}
        onSend={async (value) => {
          const days = Number(value("expiry"));
          const organizationId = value("scope");
          const body = {
            name: value("name"),
            expiresAtUtc: Number.isFinite(days) ? new Date(Date.now() + days * DAY_MS).toISOString() : null,
            organizationIds: organizationId === EVERYWHERE ? null : [organizationId],
            capabilities: { all: null, read: READ_ALL, some: levels }[access],
          };
          onMade(await dataOf(api.POST("/v1/auth/tokens", { body })));
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <Field label={text.name} name="name" help={text.nameHelp} required maxLength={100} autofocus />
        <Choice label={text.expiry} name="expiry" options={expiries} value="90" />
        <Choice
          label={text.scope}
          name="scope"
          value={EVERYWHERE}
          options={[
            { value: EVERYWHERE, label: text.everywhere },
            ...(organizations.value ?? []).map(({ id, name }) => ({ value: id, label: text.only(name) })),
          ]}
        />
        <Choice
          label={text.access}
          name="access"
          options={ACCESSES.map((value) => ({ value, label: text.accesses[value] }))}
          value={access}
          onChange={setAccess}
        />
        {access === "some" && (
          <LevelFields legend={text.levels} capabilities={ALL_CAPABILITIES} value={levels} onChange={setLevels} />
        )}
      </Form>
    </Dialog>
  );
}

function MadeToken({ made, onClose }: { made: CreatedPersonalAccessToken; onClose: () => void }) {
  const text = TOKENS;
  return (
    <Dialog title={text.madeTitle} onClose={onClose}>
      <div class="stack">
        <p>{text.madeHelp}</p>
        <Secret text={made.token} label={text.secret} done={text.done} onDone={onClose} />
      </div>
    </Dialog>
  );
}

function RenameToken(props: { token: PersonalAccessToken; onDone: (name: string) => void; onClose: () => void }) {
  const text = TOKENS;
  const { id, name, revision } = props.token;
  return (
    <Dialog title={text.renameTitle(name)} onClose={props.onClose}>
      <Form
        send={text.renameSend}
        failed={text.renameFailed}
        onSend={async (value) => {
          const body = { name: value("name"), baseRevision: revision };
          await dataOf(api.PATCH("/v1/auth/tokens/{tokenId}", { params: { path: { tokenId: id } }, body }));
          props.onDone(body.name);
        }}
        beside={<Cancel onClose={props.onClose} />}
      >
        <Field
          label={text.name}
          name="name"
          help={text.nameHelp}
          defaultValue={name}
          required
          maxLength={100}
          autofocus
        />
      </Form>
    </Dialog>
  );
}

function TokenLine(props: { token: PersonalAccessToken; onRename: () => void; onRevoke: () => void }) {
  const text = TOKENS;
  const { token, onRename, onRevoke } = props;
  const { name, lastUsedAtUtc, expiresAtUtc, organizationIds, capabilities } = token;
  const all = organizations.value ?? [];
  const scope =
    organizationIds === null
      ? text.everywhere
      : list(organizationIds.map((id) => all.find((one) => one.id === id)?.name ?? id));
  return (
    <li>
      <span class="grow">
        <b class="strong">{name}</b>
        <br />
        <span class="small muted">
          {accessOf(capabilities)} · {scope}
        </span>
        <br />
        <span class="small muted nums">
          {lastUsedAtUtc === null ? text.neverUsed : `${text.used} ${timeOf(lastUsedAtUtc)}`} ·{" "}
          {expiresAtUtc === null ? text.noEnd : `${text.ends} ${timeOf(expiresAtUtc)}`}
        </span>
      </span>
      <button type="button" class="btn" aria-label={text.renameOf(name)} onClick={onRename}>
        {text.rename}
      </button>
      <button type="button" class="btn" aria-label={text.revokeOf(name)} onClick={onRevoke}>
        {text.revoke}
      </button>
    </li>
  );
}

/** The personal access tokens of the person. */
export function TokensPart() {
  const text = TOKENS;
  const { data, error, slow, reload } = useLoaded("tokens", readTokens);
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<CreatedPersonalAccessToken | null>(null);
  const [renaming, setRenaming] = useState<PersonalAccessToken | null>(null);
  const [revoking, setRevoking] = useState<PersonalAccessToken | null>(null);
  const create = <AddButton label={text.create} onPress={() => setCreating(true)} />;
  return (
    <>
      <PageHead title={text.title} lead={text.lead}>
        {data !== undefined && data.length > 0 && create}
      </PageHead>
      {error !== undefined && <Alert title={text.readFailed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {data?.length === 0 && (
        <CalmCard icon="code" title={text.none} help={text.noneHelp}>
          {create}
        </CalmCard>
      )}
      {data !== undefined && data.length > 0 && (
        <ul class="card list">
          {data.map((token) => (
            <TokenLine
              key={token.id}
              token={token}
              onRename={() => setRenaming(token)}
              onRevoke={() => setRevoking(token)}
            />
          ))}
        </ul>
      )}
      {creating && (
        <NewToken
          onMade={(token) => {
            setCreating(false);
            setMade(token);
            reload();
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {made && <MadeToken made={made} onClose={() => setMade(null)} />}
      {renaming && (
        <RenameToken
          token={renaming}
          onDone={(name) => {
            setRenaming(null);
            say(text.renamed(name));
            reload();
          }}
          onClose={() => setRenaming(null)}
        />
      )}
      {revoking && (
        <Confirm
          title={text.revokeTitle(revoking.name)}
          help={text.revokeHelp}
          send={text.revoke}
          failed={text.revokeFailed}
          onSend={async () => {
            await dataOf(api.DELETE("/v1/auth/tokens/{tokenId}", { params: { path: { tokenId: revoking.id } } }));
            say(text.revoked(revoking.name));
            reload();
          }}
          onClose={() => setRevoking(null)}
        />
      )}
    </>
  );
}

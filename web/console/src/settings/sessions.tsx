import { useState } from "preact/hooks";
import { SESSIONS } from "#texts/settings.ts";
import { dataOf, eachItem, type Session } from "../../../../client/src/index.ts";
import { Confirm } from "../../../ui/dialog.tsx";
import { timeOf } from "../../../ui/format.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, say, sayFailed, Waiting } from "../../../ui/notice.tsx";
import { PageHead } from "../../../ui/page-head.tsx";
import { api } from "../platform/session.ts";
import { deviceOf } from "./device.ts";

const readSessions = (): Promise<Session[]> =>
  Array.fromAsync(
    eachItem((cursor) => dataOf(api.GET("/v1/auth/sessions", { params: { query: { limit: 100, cursor } } }))),
  );

const endSession = ({ id }: Session) =>
  dataOf(api.DELETE("/v1/auth/sessions/{sessionId}", { params: { path: { sessionId: id } } }));

const howOf = ({ method, secondFactor }: Session): string =>
  secondFactor === null ? SESSIONS.methods[method] : SESSIONS.confirmed[secondFactor];

function SessionLine({ session, reload }: { session: Session; reload: () => void }) {
  const text = SESSIONS;
  const [ending, setEnding] = useState(false);
  const device = deviceOf(session.userAgent);
  const end = async () => {
    setEnding(true);
    try {
      await endSession(session);
      say(text.ended(device));
      reload();
    } catch (thrown) {
      sayFailed(text.endFailed, thrown);
      setEnding(false);
    }
  };
  return (
    <li>
      <span class="grow">
        <b class="strong">{device}</b>
        {session.current && <span class="chip beside">{text.current}</span>}
        <br />
        <span class="small muted nums">
          {text.used} <time dateTime={session.lastUsedAtUtc}>{timeOf(session.lastUsedAtUtc)}</time> · {text.since}{" "}
          <time dateTime={session.createdAtUtc}>{timeOf(session.createdAtUtc)}</time> · {howOf(session)} ·{" "}
          {session.isKept && `${text.kept} · `}
          {text.address} {session.ip}
        </span>
      </span>
      {!session.current && (
        <button type="button" class="btn" aria-label={text.endOf(device)} disabled={ending} onClick={end}>
          {text.end}
        </button>
      )}
    </li>
  );
}

/** The sessions of the person, the newest first. */
export function SessionsPart() {
  const text = SESSIONS;
  const { data, error, slow, reload } = useLoaded("sessions", readSessions);
  const [asking, setAsking] = useState(false);
  const others = data?.filter(({ current }) => !current) ?? [];
  return (
    <>
      <PageHead title={text.title} lead={text.lead}>
        {others.length > 0 && (
          <button type="button" class="btn" onClick={() => setAsking(true)}>
            {text.endOthers}
          </button>
        )}
      </PageHead>
      {error !== undefined && <Alert title={text.failed} error={error} onRetry={reload} />}
      {slow && data === undefined && <Waiting text={text.loading} />}
      {data && (
        <ul class="card list">
          {data.map((session) => (
            <SessionLine key={session.id} session={session} reload={reload} />
          ))}
        </ul>
      )}
      {asking && (
        <Confirm
          title={text.endOthersTitle}
          help={text.endOthersHelp}
          send={text.endOthers}
          failed={text.endFailed}
          onSend={async () => {
            await dataOf(api.POST("/v1/auth/sessions/end-others"));
            say(text.othersEnded);
            reload();
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

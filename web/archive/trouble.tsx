import { ARCHIVE } from "#texts/archive.ts";
import { messageOf, RequestId } from "../ui/notice.tsx";

/** The reason why the service cannot be reached at present, for a call that is tried again by itself. */
export function Trouble({ error }: { error: unknown }) {
  if (error instanceof TypeError) return <>{ARCHIVE.offline}</>;
  return (
    <>
      {ARCHIVE.tryingAgain(messageOf(error))}
      <RequestId error={error} />
    </>
  );
}

import { useEffect, useRef, useState } from "preact/hooks";
import { dataOf, type Report } from "../../../../../client/src/index.ts";
import { api } from "../../platform/session.ts";
import { canonical } from "../json.ts";
import { readReport } from "../read.ts";
import type { Room } from "./room.ts";

/** Pause in edits after which the report is read. The room writes its revision after half a second. */
const REST_MS = 800;
/** Time after which the report is read again if it does not have all edits. */
const AGAIN_MS = 1_200;

export interface Row {
  report: Report | null;
  /** The page of the report; null before it is read. */
  html: string | null;
  previewError: unknown;
  /** Reads the report and its page again. */
  refresh: () => void;
}

const readPreview = (reportId: string): Promise<string> =>
  dataOf(api.GET("/v1/reports/{reportId}/preview", { params: { path: { reportId } }, parseAs: "text" }));

/** The stored report and its page. They are read again after a pause in the changes of the draft. */
export function useRow(room: Room): Row {
  const [report, setReport] = useState<Report | null>(null);
  const [page, setPage] = useState<{ html: string | null; error: unknown }>({ html: null, error: undefined });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const shown = useRef("");
  const isReading = useRef(false);
  const isPresent = useRef(true);
  const { reportId } = room;
  const changes = room.changes.value;
  const isLive = room.connection.value === "live";

  const later = (wait: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(read, wait);
  };
  const read = async () => {
    if (isReading.current) return later(AGAIN_MS);
    isReading.current = true;
    try {
      const before = room.changes.peek();
      const next = await readReport(reportId);
      if (!isPresent.current) return;
      setReport(next);
      const isSame = room.changes.peek() === before && canonical(next.contentJson) === canonical(room.draft.toJSON());
      if (isSame) room.unsaved.value = false;
      else if (room.unsaved.peek()) later(AGAIN_MS);
      const state = `${next.revision} ${next.title}`;
      if (state === shown.current) return;
      const html = await readPreview(reportId);
      shown.current = state;
      if (isPresent.current) setPage({ html, error: undefined });
    } catch (thrown) {
      if (!isPresent.current) return;
      setPage((known) => ({ ...known, error: thrown }));
      if (room.unsaved.peek()) later(AGAIN_MS);
    } finally {
      isReading.current = false;
    }
  };

  useEffect(() => {
    if (isLive) later(shown.current === "" ? 0 : REST_MS);
  }, [changes, isLive]);
  useEffect(() => {
    isPresent.current = true;
    return () => {
      isPresent.current = false;
      clearTimeout(timer.current);
    };
  }, []);
  return { report, html: page.html, previewError: page.error, refresh: () => later(0) };
}

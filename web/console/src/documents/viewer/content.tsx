import "./viewer.css";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { VIEWER } from "#texts/viewer.ts";
import { type Document, ProblemError } from "../../../../../client/src/index.ts";
import { useLoaded } from "../../../../ui/loading.ts";
import { Alert, Calmly, Waiting } from "../../../../ui/notice.tsx";
import { lazy } from "../../platform/lazy.tsx";
import { useEvents } from "../../platform/live/index.ts";
import { linkTo } from "../actions.ts";
import { type Marks, mark } from "./mark.ts";
import { layWords, type WordsReader, wordsReader } from "./scan.ts";
import { TextView } from "./text.tsx";
import { partsOf } from "./text-status.ts";
import { Turn, turnByKey } from "./turn.tsx";

const PdfView = lazy(() => import("./pdf.tsx"));

/** Types that browsers can show. For others the service makes a picture. */
const SHOWN_TYPES = ["image/jpeg", "image/png", "image/webp", "image/gif"];

/** Lays the recognized words of a page over its picture, with their marks, once the picture of this address is drawn. */
function useScan(drawn: string | null, page: number, readWords: WordsReader, marks: Marks) {
  const layer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isWanted = true;
    let unmark = () => {};
    const lay = async () => {
      const words = await readWords(page);
      if (!isWanted || words === null || layer.current === null) return;
      layWords(layer.current, words);
      unmark = mark(layer.current, marks);
    };
    // Without the words, the picture is still shown.
    if (drawn !== null) lay().catch(() => undefined);
    return () => {
      isWanted = false;
      unmark();
      layer.current?.replaceChildren();
    };
  }, [drawn, page, readWords, JSON.stringify(marks)]);
  return layer;
}

interface PictureProps extends Pick<ContentProps, "document" | "marks"> {
  readWords: WordsReader;
  /** A page of a HEIC or TIFF file, of which the service has made a picture. Null: the file is one picture. */
  page: number | null;
}

/** A picture, with its recognized words over it. */
function Picture({ document, readWords, marks, page }: PictureProps) {
  const { id, version, fileName, contentType, derivativeStatus } = document;
  const shown = SHOWN_TYPES.includes(contentType);
  const [broken, setBroken] = useState(false);
  const { data, error, slow, reload } = useLoaded(`${id} ${version} ${derivativeStatus} ${page}`, () =>
    linkTo(id, page === null ? { linkType: shown ? "file" : "medium", version } : { linkType: "page", page, version }),
  );
  useEffect(() => setBroken(false), [data]);
  const photo = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState<string | null>(null);
  const layer = useScan(drawn === data ? drawn : null, page ?? 1, readWords, marks);
  if (derivativeStatus === "pending" && !shown && page === null)
    return <Calmly icon="image" title={VIEWER.preparing} help={VIEWER.preparingHelp} />;
  const isLost = error instanceof ProblemError && error.status === 404;
  if (isLost && page !== null) return <Calmly icon="file" title={VIEWER.pageNotShown} help={VIEWER.downloadInstead} />;
  if (error !== undefined) return <Alert title={VIEWER.failed} error={error} onRetry={reload} />;
  if (broken) return <Calmly icon="image" title={VIEWER.notShown} help={VIEWER.downloadInstead} />;
  if (data === undefined) return slow ? <Waiting text={VIEWER.opening} /> : null;
  const onLoad = ({ currentTarget: { naturalWidth, naturalHeight } }: { currentTarget: HTMLImageElement }) => {
    photo.current?.style.setProperty("--wide", String(naturalWidth));
    photo.current?.style.setProperty("--high", String(naturalHeight));
    setDrawn(data);
  };
  return (
    <div class={contentType === "image/tiff" ? "photo paper" : "photo"} ref={photo}>
      <img class="picture" src={data} alt={fileName} onLoad={onLoad} onError={() => setBroken(true)} />
      <div class="scanLayer" ref={layer} />
    </div>
  );
}

/** A HEIC or TIFF file by the pictures of its pages, one at a time. */
function Pages({ document, page, onPage, marks, readWords }: ContentProps & Scan) {
  const count = document.pagePictures;
  const shown = Math.min(page, count);
  const picture = <Picture document={document} readWords={readWords} marks={marks} page={shown} />;
  if (count === 1) return picture;
  return (
    <>
      <div class="viewbar">
        <Turn page={shown} count={count} onPage={onPage} />
      </div>
      <section
        class="sheets pictures"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
        tabIndex={0}
        aria-label={VIEWER.page(shown)}
        onKeyDown={(event) => turnByKey(event, { page: shown, count, onPage })}
      >
        {picture}
      </section>
    </>
  );
}

interface Scan {
  readWords: WordsReader;
}

interface ContentProps {
  document: Document;
  /** Whether it is the newest version. The service keeps only the text of that version. */
  isNewest?: boolean;
  page: number;
  onPage: (page: number) => void;
  /** The position of the marked passage. */
  passage: number | null;
  marks: Marks;
}

function Pdf({ document, isNewest = true, page, onPage, passage, marks, readWords }: ContentProps & Scan) {
  const { id, version } = document;
  // A new turn reads another link and makes another view, which fetches the file even when the link is the same.
  const [turn, setTurn] = useState(0);
  const { data, error, reload } = useLoaded(`${id} ${version} ${turn}`, () => linkTo(id, { version }));
  // The code that draws pages is fetched while the link is read.
  useEffect(() => PdfView.begin(), []);
  // The link is for one opening. After a lost connection, a new link is requested.
  useEvents(["Stale"], [], () => error !== undefined && reload());
  if (error !== undefined) return <Alert title={VIEWER.failed} error={error} onRetry={reload} />;
  const textOf = (of: number | null) =>
    isNewest && partsOf(document.textStatus).text ? (
      <TextView
        documentId={id}
        version={version}
        page={of}
        passage={passage}
        words={[...marks.words]}
        note={VIEWER.textInstead}
      />
    ) : null;
  return data === undefined ? (
    <Waiting text={VIEWER.opening} />
  ) : (
    <PdfView
      key={turn}
      url={data}
      page={page}
      onPage={onPage}
      marks={marks}
      readWords={readWords}
      onRetry={() => setTurn(turn + 1)}
      textOf={textOf}
    />
  );
}

/** Shows a document by its format: pages of a PDF, a picture, or its text. */
export function Content(props: ContentProps) {
  const { document, isNewest = true, passage, marks } = props;
  const { id, version, textStatus } = document;
  const readWords = useMemo(() => wordsReader({ id, textStatus }, isNewest), [id, version, textStatus, isNewest]);
  if (document.contentType === "application/pdf") return <Pdf {...props} readWords={readWords} />;
  if (document.pagePictures > 0) return <Pages {...props} readWords={readWords} />;
  if (document.derivativeStatus !== "none")
    return <Picture document={document} readWords={readWords} marks={marks} page={null} />;
  if (!isNewest) return <Calmly icon="file" title={VIEWER.oldText} help={VIEWER.downloadInstead} />;
  if (partsOf(textStatus).text)
    return <TextView documentId={document.id} version={document.version} passage={passage} words={[...marks.words]} />;
  return <Calmly icon="file" title={VIEWER.noText} help={VIEWER.downloadInstead} />;
}

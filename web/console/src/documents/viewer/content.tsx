import { useEffect, useState } from "preact/hooks";
import type { Document } from "../../../../../client/src/index.ts";
import { VIEWER } from "../../../../texts/viewer.ts";
import { useLoaded } from "../../../../ui/loading.ts";
import { Alert, Calmly, Waiting } from "../../../../ui/notice.tsx";
import { useEvents } from "../../live/index.ts";
import { lazy } from "../../views.tsx";
import { linkTo } from "../actions.ts";
import type { Marks } from "./mark.ts";
import { TextView } from "./text.tsx";

const PdfView = lazy(() => import("./pdf.tsx"));

/** Types that browsers show themselves. Of others the service makes a picture. */
const SHOWN_TYPES = ["image/jpeg", "image/png", "image/webp", "image/gif"];

/** A picture: a smaller form until the file itself is there. */
function Picture({ document }: { document: Document }) {
  const { id, version, fileName, contentType, derivativeStatus } = document;
  const shown = SHOWN_TYPES.includes(contentType);
  const [broken, setBroken] = useState(false);
  const { data, error, slow, reload } = useLoaded(`${id} ${version} ${derivativeStatus}`, () =>
    linkTo(id, { linkType: shown ? "file" : "medium", version }),
  );
  useEffect(() => setBroken(false), [data]);
  if (derivativeStatus === "pending" && !shown)
    return <Calmly icon="image" title={VIEWER.preparing} help={VIEWER.preparingHelp} />;
  if (error !== undefined) return <Alert title={VIEWER.failed} error={error} onRetry={reload} />;
  if (broken) return <Calmly icon="image" title={VIEWER.notShown} help={VIEWER.downloadInstead} />;
  if (data === undefined) return slow ? <Waiting text={VIEWER.opening} /> : null;
  return <img class="picture" src={data} alt={fileName} onError={() => setBroken(true)} />;
}

interface ContentProps {
  document: Document;
  /** Whether it is the newest version. The service keeps the text of that one alone. */
  isNewest?: boolean;
  page: number;
  onPage: (page: number) => void;
  /** The position of the passage that is marked. */
  passage: number | null;
  marks: Marks;
}

const hasText = ({ textStatus }: Document): boolean => textStatus === "indexed" || textStatus === "too-large";

function Pdf({ document, isNewest = true, page, onPage, passage, marks }: ContentProps) {
  const { id, version } = document;
  const { data, error, reload } = useLoaded(`${id} ${version}`, () => linkTo(id, { version }));
  // The link is for one opening: a lost connection asks for another.
  useEvents(["Stale"], [], () => error !== undefined && reload());
  if (error !== undefined) return <Alert title={VIEWER.failed} error={error} onRetry={reload} />;
  const textOf = (of: number | null) =>
    isNewest && hasText(document) ? (
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
    <PdfView url={data} page={page} onPage={onPage} marks={marks} textOf={textOf} />
  );
}

/** A document as its format is shown: pages of a PDF, a picture, or its text. */
export function Content(props: ContentProps) {
  const { document, isNewest = true, passage, marks } = props;
  if (document.contentType === "application/pdf") return <Pdf {...props} />;
  if (document.derivativeStatus !== "none") return <Picture document={document} />;
  if (!isNewest) return <Calmly icon="file" title={VIEWER.oldText} help={VIEWER.downloadInstead} />;
  if (hasText(document))
    return <TextView documentId={document.id} version={document.version} passage={passage} words={[...marks.words]} />;
  return <Calmly icon="file" title={VIEWER.noText} help={VIEWER.downloadInstead} />;
}

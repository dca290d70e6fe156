import { and, eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { complete, continueLater, type Outcome } from "../../platform/jobs/handlers";
import { hasPreview } from "../../platform/pictures/drawn";
import { BrowsersBusy } from "../../platform/ports";
import type { VersionKey } from "../document";
import { objectSource } from "../extraction";
import { documentVersions } from "../tables";
import type { Waiting } from "./drawn";
import { scaledPictures } from "./files";
import { isVersion, publish } from "./publish";

const PDF = "application/pdf";

export const isPdf = ({ contentType }: { contentType: string }): boolean => contentType === PDF;

/** Whether a version gets derivatives: of a picture, or of the first page of a PDF where the service has browsers for it. */
export const wantsDerivatives = ({ recognizer }: Pick<Context, "recognizer">, contentType: string): boolean =>
  hasPreview(contentType) || (recognizer.isOn && isPdf({ contentType }));

/** Draws the first page of a PDF, and makes both derivatives of it. A PDF that cannot be drawn has none: it is no picture. */
export async function drawCover(context: Context, of: VersionKey, waiting: Waiting): Promise<Outcome> {
  const { objectKey, sizeBytes } = waiting.version;
  try {
    const source = objectSource(context.objects, objectKey, sizeBytes);
    const drawing = await context.recognizer.draw({ ...source, isPdf: true }, [1]);
    const drawn = drawing.kind === "pages" ? drawing.pages[0]?.drawn : null;
    const change = drawn ? await publishCover(context, of, waiting, drawn.jpeg) : withoutCover(context, of, waiting);
    const event = { type: "state-updated", subject: "document", subjectId: of.documentId } as const;
    const { locationId, tenantId } = waiting;
    return complete(change.announce({ ...event, locationId, action: "updated", revision: null }, tenantId));
  } catch (thrown) {
    if (!(thrown instanceof BrowsersBusy)) throw thrown;
    return continueLater(null, { delayMs: thrown.retryAfterMs });
  }
}

async function publishCover(
  context: Context,
  of: VersionKey,
  { tenantId }: Waiting,
  jpeg: Uint8Array,
): Promise<Change> {
  const { small, medium } = await scaledPictures(jpeg);
  return publish(context, of, tenantId, { small, medium, width: null, height: null });
}

const withoutCover = (context: Context, of: VersionKey, { tenantId }: Waiting): Change =>
  beginChange(context, tenantId).add(
    context.workspace
      .update(documentVersions)
      .set({ derivativeStatus: "none", derivativeDetail: "The first page cannot be drawn." })
      .where(and(isVersion(of), eq(documentVersions.derivativeStatus, "pending"))),
  );

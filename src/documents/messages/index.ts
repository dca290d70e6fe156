import { and, eq } from "drizzle-orm";
import type { EventOf, Message, MessagesOf } from "../../events";
import type { Context } from "../../platform/context";
import type { InEachLanguage, ReaderLanguage } from "../../platform/languages/languages";
import { locations } from "../../workspace/tables";
import { documents, joinedDocumentExists } from "../tables";
import * as de from "./de";
import * as en from "./en";
import * as es from "./es";
import * as fr from "./fr";

const MESSAGES: InEachLanguage<typeof en.MESSAGES> = {
  en: en.MESSAGES,
  de: de.MESSAGES,
  fr: fr.MESSAGES,
  es: es.MESSAGES,
};

/** The texts about mails that were refused, in each language. */
export const ARRIVALS: InEachLanguage<typeof en.ARRIVALS> = {
  en: en.ARRIVALS,
  de: de.ARRIVALS,
  fr: fr.ARRIVALS,
  es: es.ARRIVALS,
};

/** The title of a notification about a document. */
function titleOf({ version, mailed }: EventOf<"document-uploaded">, language: ReaderLanguage): string {
  const texts = MESSAGES[language];
  if (typeof mailed === "object") return texts.arrived(mailed.attachments);
  return version === 1 ? texts.added : texts.newVersion;
}

async function documentUploaded({ workspace }: Context, event: EventOf<"document-uploaded">): Promise<Message | null> {
  if (event.mailed === "attachment") return null;
  const [row] = await workspace
    .select({ document: documents, location: locations })
    .from(documents)
    .innerJoin(locations, eq(locations.id, documents.locationId))
    .where(and(eq(documents.id, event.documentId), joinedDocumentExists()));
  if (row === undefined) return null;
  const { document, location } = row;
  const place = {
    organizationId: document.organizationId,
    clusterId: location.clusterId,
    locationId: location.id,
    documentId: document.id,
  };
  return {
    type: "document-uploaded",
    severity: "info",
    text: (language) => ({
      title: titleOf(event, language),
      body: document.fileName,
    }),
    origin: { type: "spatial-document", id: document.id, data: { version: event.version } },
    ...place,
    audience: { kind: "document", tenantId: document.tenantId, ...place },
    actorUserId: event.actorUserId,
  };
}

/** The messages of document events. */
export const documentMessages: MessagesOf<"document-uploaded"> = { "document-uploaded": documentUploaded };

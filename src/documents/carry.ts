import { carried, ownedBy, through } from "../platform/db/carry/declare";
import {
  documents,
  documentTags,
  documentVersions,
  folderChanges,
  folders,
  mailAddresses,
  mailArrivals,
  recognizedPages,
  tags,
  textSections,
  unreadPages,
} from "./tables";

export const documentsTables = [
  carried(documents, ownedBy("tenant_id")),
  carried(documentVersions, through("documents", "document_id")),
  // The number of a section is of its database alone: the index of the search refers to it.
  carried(textSections, {
    ...through("documents", "document_id"),
    omitted: ["id"],
    key: ["row.version", "row.chunk_index"],
    identity: ["document_id", "version", "chunk_index"],
    follows: ["texts"],
    mark: "id",
    slice: 200,
  }),
  carried(tags, ownedBy("tenant_id")),
  carried(documentTags, through("documents", "document_id")),
  carried(unreadPages, through("documents", "document_id")),
  carried(recognizedPages, through("documents", "document_id")),
  carried(folders, ownedBy("tenant_id")),
  carried(folderChanges, ownedBy("tenant_id")),
  carried(mailAddresses, ownedBy("tenant_id")),
  carried(mailArrivals, ownedBy("tenant_id")),
];

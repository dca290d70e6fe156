import { dateFormat, list, number, percent, sizeOf, some } from "../../platform/languages/en";

const day = dateFormat({ day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** The notifications about memberships, shares and storage, and the mails of invitations. */
export const MESSAGES = {
  memberNow: "You are a member now",
  shared: {
    organization: "An organization was shared with you",
    cluster: "A cluster was shared with you",
    location: "A location was shared with you",
    document: "A document was shared with you",
  },
  sharedDocuments: (count: number) => `${some(count, "document was", "documents were")} shared with you`,
  documentNames: (names: readonly string[], more: number) =>
    list(more === 0 ? names : [...names, some(more, "other document", "other documents")]),
  storageFull: "The storage is full",
  storageUsed: (hundredths: number) => `${percent(hundredths / 100)} of the storage is used`,
  personalWorkspace: "Personal workspace",
  invitation: (organization: string, days: number, link: string) => ({
    subject: `Invitation to ${organization}`,
    text: `You are invited to ${organization}.\n\nOpen this link within ${some(days, "day", "days")} to join:\n${link}\n`,
  }),
  sharesThing: { cluster: "a cluster", location: "a location", document: "a document" },
  /** `thing`: one of the nouns above. */
  shareInvitation: (organization: string, thing: string, until: number, link: string) => ({
    subject: `${organization} shares ${thing} with you`,
    text: `${organization} shares ${thing} with you.\n\nOpen this link by ${day(until)} to see it. You sign in or register with this address:\n${link}\n\nIf you do not expect this, ignore this message.\n`,
  }),
  organizationDeleted: "An organization is deleted",
  organizationRemoved: "An organization is removed",
  restorable: (name: string, until: number) => `${name}. Its owners can restore it until ${day(until)}.`,
  beingRemoved: (name: string) => `${name}. Its contents are being removed.`,
  /** `by`: the name of the person, if they have an account. `until`: null if the removal has begun. */
  deletedMail: (name: string, by: string | null, until: number | null, link: string) => ({
    subject: `${name} is deleted`,
    text: `${name} was deleted${by === null ? "" : ` by ${by}`}. Nobody finds it any more, and its cameras and share links have stopped.

${until === null ? "Its contents are being removed. Nothing brings it back." : `Each owner can restore it until ${day(until)}:\n${link}`}
`,
  }),
  /** The lines of the receipt. */
  removedKinds: {
    members: "Members",
    clusters: "Clusters",
    locations: "Locations",
    documents: "Documents",
    documentVersions: "Versions of documents",
    annotations: "Annotations",
    reports: "Reports",
    reportTemplates: "Report templates",
    cameras: "Cameras",
    images: "Camera frames",
    shareLinks: "Share links",
    grants: "Grants",
    invitations: "Invitations",
    brandingFiles: "Files of the branding",
  },
  removedLine: (kind: string, count: number, bytes: number | null) =>
    `- ${kind}: ${number(count)}${bytes === null ? "" : ` (${sizeOf(bytes)})`}`,
  removedMail: (name: string, at: number, contents: string, link: string) => ({
    subject: `${name} is removed`,
    text: `Everything in ${name} was removed on ${day(at)}. This is what there was:\n\n${contents}\n\nThe receipt is kept here too:\n${link}\n`,
  }),
};

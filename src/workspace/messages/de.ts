import { dateFormat, list, number, percent, sizeOf, some } from "../../platform/languages/de";
import type * as first from "./en";

const day = dateFormat({ day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

export const MESSAGES: typeof first.MESSAGES = {
  memberNow: "Sie sind jetzt Mitglied",
  shared: {
    organization: "Eine Organisation wurde mit Ihnen geteilt",
    cluster: "Eine Gruppe wurde mit Ihnen geteilt",
    location: "Ein Standort wurde mit Ihnen geteilt",
    document: "Ein Dokument wurde mit Ihnen geteilt",
  },
  sharedDocuments: (count) => `${some(count, "Dokument wurde", "Dokumente wurden")} mit Ihnen geteilt`,
  documentNames: (names, more) =>
    list(more === 0 ? names : [...names, some(more, "weiteres Dokument", "weitere Dokumente")]),
  storageFull: "Der Speicher ist voll",
  storageUsed: (hundredths) => `${percent(hundredths / 100)} des Speichers sind belegt`,
  personalWorkspace: "Persönlicher Arbeitsbereich",
  invitation: (organization, days, link) => ({
    subject: `Einladung zu ${organization}`,
    text: `Sie sind zu ${organization} eingeladen.\n\nÖffnen Sie innerhalb von ${some(days, "Tag", "Tagen")} diesen Link, um beizutreten:\n${link}\n`,
  }),
  sharesThing: { cluster: "eine Gruppe", location: "einen Standort", document: "ein Dokument" },
  shareInvitation: (organization, thing, until, link) => ({
    subject: `${organization} teilt ${thing} mit Ihnen`,
    text: `${organization} teilt ${thing} mit Ihnen.\n\nÖffnen Sie bis zum ${day(until)} diesen Link. Sie melden sich mit dieser Adresse an oder registrieren sich damit:\n${link}\n\nWenn Sie das nicht erwarten, ignorieren Sie diese Nachricht.\n`,
  }),
  organizationDeleted: "Eine Organisation ist gelöscht",
  organizationRemoved: "Eine Organisation ist entfernt",
  restorable: (name, until) => `${name}. Ihre Eigentümer können sie bis ${day(until)} wiederherstellen.`,
  beingRemoved: (name) => `${name}. Ihr Inhalt wird entfernt.`,
  deletedMail: (name, by, until, link) => ({
    subject: `${name} ist gelöscht`,
    text: `${name} wurde gelöscht${by === null ? "" : `, von ${by}`}. Niemand findet sie mehr, und ihre Kameras und Freigabe-Links haben geendet.

${until === null ? "Ihr Inhalt wird entfernt. Nichts bringt sie zurück." : `Jeder Eigentümer kann sie bis ${day(until)} wiederherstellen:\n${link}`}
`,
  }),
  removedKinds: {
    members: "Mitglieder",
    clusters: "Gruppen",
    locations: "Standorte",
    documents: "Dokumente",
    documentVersions: "Versionen von Dokumenten",
    annotations: "Anmerkungen",
    reports: "Berichte",
    reportTemplates: "Berichtsvorlagen",
    cameras: "Kameras",
    images: "Kamerabilder",
    shareLinks: "Freigabe-Links",
    grants: "Freigaben",
    invitations: "Einladungen",
    brandingFiles: "Dateien des Erscheinungsbilds",
  },
  removedLine: (kind, count, bytes) => `- ${kind}: ${number(count)}${bytes === null ? "" : ` (${sizeOf(bytes)})`}`,
  removedMail: (name, at, contents, link) => ({
    subject: `${name} ist entfernt`,
    text: `Alles in ${name} wurde am ${day(at)} entfernt. Das war darin:\n\n${contents}\n\nDer Beleg ist auch hier:\n${link}\n`,
  }),
};

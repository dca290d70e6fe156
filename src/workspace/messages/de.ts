import { percent, some } from "../../platform/languages/de";
import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  memberNow: "Sie sind jetzt Mitglied",
  shared: {
    organization: "Eine Organisation wurde mit Ihnen geteilt",
    cluster: "Eine Gruppe wurde mit Ihnen geteilt",
    location: "Ein Standort wurde mit Ihnen geteilt",
    document: "Ein Dokument wurde mit Ihnen geteilt",
  },
  storageFull: "Der Speicher ist voll",
  storageUsed: (hundredths) => `${percent(hundredths / 100)} des Speichers sind belegt`,
  personalWorkspace: "Persönlicher Arbeitsbereich",
  invitation: (organization, days, link) => ({
    subject: `Einladung zu ${organization}`,
    text: `Sie sind zu ${organization} eingeladen.\n\nÖffnen Sie innerhalb von ${some(days, "Tag", "Tagen")} diesen Link, um beizutreten:\n${link}\n`,
  }),
};

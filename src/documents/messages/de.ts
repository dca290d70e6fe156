import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  added: "Ein Dokument wurde hinzugefügt",
  newVersion: "Ein Dokument hat eine neue Version",
  arrived: (attachments) =>
    attachments === 0
      ? "Eine E-Mail ist eingegangen"
      : `Eine E-Mail mit ${attachments} ${attachments === 1 ? "Anhang" : "Anhängen"} ist eingegangen`,
};

export const ARRIVALS: typeof first.ARRIVALS = {
  subject: (subject) => `Ihre E-Mail wurde nicht aufgenommen: ${subject}`,
  begin: (subject) => `Ihre E-Mail „${subject}“ wurde nicht zu den Dokumenten aufgenommen.`,
  again: "Beheben Sie das und senden Sie die E-Mail noch einmal. Diese Antwort hat ein Programm geschrieben.",
  whole: "Ihre Anhänge ließen sich nicht einzeln lesen. Sie sind in der E-Mail.",
  reasons: {
    "sender-unverified": () =>
      "Ihr Absender ließ sich nicht prüfen: Die E-Mail hat die Prüfung nicht bestanden, die seine Domain verlangt (DMARC oder SPF).",
    "sender-not-allowed": () => "Ihr Absender darf keine Dokumente an diese Adresse senden.",
    "person-left": () =>
      "Die Person, die diese Adresse eingerichtet hat, darf dort keine Dokumente mehr hinzufügen. Fragen Sie die Personen, die den Standort verwalten.",
    "too-large": (size) => `Sie ist größer als ${size}, die Grenze dieser Adresse.`,
    unreadable: () => "Sie ließ sich nicht als E-Mail lesen.",
    "kind-not-allowed": (named) => `Diese Adresse nimmt keine Dateien wie „${named}“ an.`,
    "too-many-attachments": (count) => `Sie hat mehr als ${count} Anhänge.`,
    "storage-full": () => "Der Speicher ist voll.",
    "location-deleted": () => "Der Standort wurde gelöscht.",
  },
};

import type * as first from "../en/locations.ts";
import { number, some } from "./language.ts";

export const LOCATIONS: typeof first.LOCATIONS = {
  title: "Standorte",
  count: (locations, clusters) =>
    `${some(locations, "Standort", "Standorte")} in ${some(clusters, "Gruppe", "Gruppen")}`,
  create: "Neuer Standort",
  trash: "Papierkorb",
  none: (name) => `Noch keine Standorte in ${name}`,
  noneHelp: "Ein Standort ist ein Ort mit seinen Dokumenten. Legen Sie den ersten an.",
  noneReadOnly: "Sie sehen hier einen Standort, wenn jemand ihn anlegt oder mit Ihnen teilt.",
  emptyCluster: "Keine Standorte in dieser Gruppe.",
  failed: "Die Standorte konnten nicht gelesen werden",
  loading: "Ihre Standorte werden gelesen…",
};

export const MAP: typeof first.MAP = {
  label: "Karte der Standorte. Die Pfeiltasten bewegen sie, Plus und Minus ändern den Maßstab.",
  list: "Standorte auf der Karte",
  forms: "Form der Seite",
  asList: "Liste",
  asMap: "Karte",
  closer: "Vergrößern",
  further: "Verkleinern",
  all: "Alle Standorte zeigen",
  cluster: (locations, troubled) =>
    troubled === 0
      ? some(locations, "Standort", "Standorte")
      : `${some(locations, "Standort", "Standorte")}, ${number(troubled)} mit stummen Kameras`,
  shown: (locations) => `${some(locations, "Standort", "Standorte")} in diesem Teil der Karte`,
  silent: (cameras) => some(cameras, "stumme Kamera", "stumme Kameras"),
  cameras: (cameras) => some(cameras, "Kamera", "Kameras"),
  unread: (notes) => `${number(notes)} ungelesen`,
  calm: "Nichts Neues",
  unplaced: "Ohne Platz auf der Karte",
  unplacedHelp: "Geben Sie einem Standort auf seiner Seite unter „Bearbeiten“ Breite und Länge.",
  none: "In diesem Teil der Karte liegt kein Standort.",
  stateFailed: "Der Zustand der Standorte konnte nicht gelesen werden",
  first: (locations) => `Die Karte zeigt die ersten ${number(locations)} Standorte.`,
};

export const NEW_LOCATION: typeof first.NEW_LOCATION = {
  title: "Neuer Standort",
  name: "Name",
  address: "Adresse (optional)",
  cluster: "Gruppe",
  newCluster: "Neue Gruppe…",
  clusterName: "Name der neuen Gruppe",
  clusterHelp: "Eine Gruppe fasst Standorte zusammen.",
  send: "Den Standort anlegen",
  failed: "Der Standort wurde nicht angelegt",
};

export const LOCATION: typeof first.LOCATION = {
  back: "Standorte",
  tabs: "Teile des Standorts",
  cameras: "Kameras",
  documents: "Dokumente",
  reports: "Berichte",
  people: "Personen",
  failed: "Dieser Standort konnte nicht geöffnet werden",
  gone: "Sie können diesen Standort nicht sehen",
  goneHelp: "Er wurde gelöscht, oder niemand teilt ihn mehr mit Ihnen.",
  revoked: (name) => `Sie haben keinen Zugang mehr zu ${name ?? "diesem Standort"}`,
  revokedHelp: (time) =>
    `Seit ${time} ist er gelöscht, oder niemand teilt ihn mehr mit Ihnen. Die Seite ist geschlossen; Ihre eigenen Dokumente an anderen Orten sind nicht betroffen.`,
  overview: "Überblick",
  overviewFailed: "Der Überblick konnte nicht gelesen werden",
  annotations: "Anmerkungen",
  lately: "Zuletzt",
  nothingLately:
    "Hier hat sich noch nichts geändert. Fügen Sie in den Reitern Dokumente, Kameras, Berichte oder Anmerkungen hinzu.",
  latest: "Neueste Bilder",
  onMap: "Auf der Karte aller Standorte zeigen",
  allCameras: (cameras) => (cameras === 1 ? "Die eine Kamera" : `Alle ${number(cameras)} Kameras`),
  somebody: "Jemand",
  happened: {
    document: (who) => [`${who} hat `, " hinzugefügt."],
    version: (version) => ["", ` hat die Version ${number(version)}.`],
    annotation: () => ["Die Anmerkung ", " wurde hinzugefügt."],
    annotationChanged: () => ["Die Anmerkung ", " wurde geändert."],
    report: () => ["Der Bericht ", " wurde begonnen."],
    reportChanged: () => ["Der Bericht ", " wurde geändert."],
    silent: () => ["", " ist verstummt."],
  },
  facts: "Über den Standort",
  localTime: "Ortszeit",
  plan: (points) =>
    points === 0
      ? "Plan der Umgebung des Standorts"
      : `Plan der Umgebung des Standorts, mit ${some(points, "Anmerkung", "Anmerkungen")}`,
  north: "N",
  edit: "Bearbeiten",
  remove: "Löschen",
  removeTitle: "Den Standort löschen?",
  removeHelp: (name) =>
    `„${name}“ kommt mit seinen Dokumenten, Kameras, Berichten und Anmerkungen in den Papierkorb. Sie können ihn einige Wochen lang von dort wiederherstellen.`,
  removeFailed: "Der Standort wurde nicht gelöscht",
  removed: (name) => `„${name}“ ist im Papierkorb.`,
  restored: (name) => `„${name}“ ist wieder da.`,
  restoreFailed: "Der Standort wurde nicht wiederhergestellt",
  loading: "Der Standort wird geöffnet…",
};

export const EDIT_LOCATION: typeof first.EDIT_LOCATION = {
  title: "Den Standort bearbeiten",
  name: "Name",
  address: "Adresse",
  description: "Beschreibung",
  latitude: "Breite",
  longitude: "Länge",
  timeZone: "Zeitzone",
  timeZoneHelp: "Die Daten seiner Berichte und die Zeiten seiner Kameras benutzen sie.",
  noZone: "Nicht gesetzt (UTC)",
  send: "Speichern",
  failed: "Der Standort wurde nicht geändert",
};

export const SHARED: typeof first.SHARED = {
  title: "Geteilte Dateien hinzufügen",
  help: (files) => `${some(files, "Datei", "Dateien")} von diesem Gerät. Wählen Sie den Standort, der sie bekommt.`,
  location: "Standort",
  send: "Hier hinzufügen",
  none: "Es ist keine Datei angekommen. Teilen Sie sie noch einmal aus der anderen Anwendung.",
  failed: "Die Dateien wurden nicht hinzugefügt",
  nowhere: "Sie dürfen an keinem Standort dieses Bereichs Dokumente hinzufügen.",
};

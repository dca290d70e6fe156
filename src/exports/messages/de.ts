import { number } from "../../platform/languages/de";
import type { MESSAGES as english } from "./en";

export const MESSAGES: typeof english = {
  ready: "Ein Export kann heruntergeladen werden",
  ownData: "Ihre eigenen Daten",
  made: (day: string) => `Exportiert am ${day} (UTC)`,
  search: "In den Namen der Dokumente suchen",
  documents: "Dokumente",
  images: "Bilder von Kameras nach Tagen",
  name: "Name",
  bytes: "Bytes",
  date: "Datum (UTC)",
  rows: "Alles andere",
  rowsHelp:
    "Der Ordner data enthält die Zeilen des Dienstes, zum Beispiel Berichte, Anmerkungen und Mitglieder: ein JSON-Objekt je Zeile. data/schema.json beschreibt sie.",
  missing: (count: number) => `${number(count)} Dateien sind im Dienst nicht mehr vorhanden.`,
};

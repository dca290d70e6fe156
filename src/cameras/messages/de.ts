import { list, number } from "../../platform/languages/de";
import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  names: (shown, more) => list(shown) + (more > 0 ? ` und ${number(more)} weitere` : ""),
  offline: (cameras) =>
    cameras === 1
      ? "Eine Kamera ist stumm: Von ihr ist nichts zu hören"
      : `${number(cameras)} Kameras sind stumm: Von ihnen ist nichts zu hören`,
  noImages: (cameras) =>
    cameras === 1
      ? "Eine Kamera ist stumm: Sie sendet keine Bilder"
      : `${number(cameras)} Kameras sind stumm: Sie senden keine Bilder`,
  back: (cameras) => (cameras === 1 ? "Eine Kamera ist wieder da" : `${number(cameras)} Kameras sind wieder da`),
  at: (location, cameras) => `${location}: ${cameras}`,
  because: (cameras, fault) => `${cameras}. ${fault}`,
  exportReady: "Ein Export kann heruntergeladen werden",
  rejected: "Eine Kamera hat ein Bild gesendet, das abgelehnt wurde",
  rejectedBecause: (camera, reason) => `${camera}: ${reason}`,
};

export const FAULTS: typeof first.FAULTS = {
  byCode: {
    "camera-failed": "Die Kamera liefert kein Bild.",
    "camera-frozen": "Die Kamera wiederholt ein Bild.",
    "camera-open-failed": "Das Gerät kann seine Kamera nicht öffnen.",
    "camera-timeout": "Die Kamera antwortet ihrem Gerät nicht.",
    "camera-unauthorized": "Die Kamera lehnt das Passwort ihres Geräts ab.",
    "camera-unreachable": "Das Gerät erreicht seine Kamera nicht.",
    "captures-refused": "Der Dienst hat Bilder des Geräts abgelehnt.",
    "clock-unsynchronized": "Das Gerät kennt die Zeit nicht.",
    "credential-revoked": "Das Gerät hat keinen Zugang mehr. Koppeln Sie es neu.",
    "disk-full": "Die Festplatte des Geräts ist voll.",
    "disk-read-only": "Auf die Festplatte des Geräts kann nicht geschrieben werden.",
    "folder-unreadable": "Das Gerät kann den Ordner seiner Bilder nicht lesen.",
    "frame-damaged": "Die Bilder der Kamera sind beschädigt.",
    "frame-normalised": "Das Gerät korrigiert die Dateien der Kamera.",
    "frame-not-jpeg": "Die Dateien der Kamera sind keine JPEG-Bilder.",
    "frame-too-large": "Die Bilder der Kamera sind zu groß.",
    "frames-thinned": "Die Festplatte des Geräts war voll, und es hat einige Bilder gelöscht.",
    "identity-shared": "Zwei Geräte benutzen diese Identität. Koppeln Sie jedes Gerät mit seiner eigenen Kamera.",
    "local-file-damaged": "Die Festplatte des Geräts beschädigt Bilder.",
    "receipt-mismatch": "Der Dienst hat andere Bilder bestätigt, als das Gerät gesendet hat.",
    "storage-full": "Der Speicher der Organisation ist voll.",
  },
  other: (code) => `Das Gerät sagt: ${code}`,
};

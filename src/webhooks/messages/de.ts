import type { MESSAGES as english } from "./en";

export const MESSAGES: typeof english = {
  disabled: (name) => `Der Webhook „${name}“ ist ausgeschaltet`,
  reasons: {
    gone: "Seine Adresse hat geantwortet, dass es sie nicht mehr gibt (410).",
    dead: "Seine Adresse hat drei Tage lang keine Anfrage angenommen.",
    full: "Zu viele seiner Ereignisse warten auf die Zustellung.",
    "subscriber-left":
      "Die Person, deren Zugriff er verwendet, ist kein Mitglied mehr. Schalten Sie ihn ein, damit er Ihren Zugriff verwendet.",
    "secret-unreadable":
      "Sein Geheimnis kann in dieser Installation nicht gelesen werden. Erzeugen Sie ein neues Geheimnis und schalten Sie ihn ein.",
  },
};

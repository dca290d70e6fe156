/** Sentences of the webhooks in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "Send a complete address, such as https://hooks.example.com/documents.":
    "Senden Sie eine vollständige Adresse, zum Beispiel https://hooks.example.com/documents.",
  "Send an address at port 443 or 8443.": "Senden Sie eine Adresse mit Port 443 oder 8443.",
  "Send an address of another service.": "Senden Sie die Adresse eines anderen Dienstes.",
  "Send an address that begins with https://.": "Senden Sie eine Adresse, die mit https:// beginnt.",
  "Send an address that is public. The service does not call private, local and reserved addresses.":
    "Senden Sie eine öffentliche Adresse. Der Dienst ruft keine privaten, lokalen und reservierten Adressen auf.",
  "Send an address with a public name. The service does not call local names.":
    "Senden Sie eine Adresse mit einem öffentlichen Namen. Der Dienst ruft keine lokalen Namen auf.",
  "Send an address without a user name and a password. Verify the signature of the requests instead.":
    "Senden Sie eine Adresse ohne Benutzernamen und Passwort. Prüfen Sie stattdessen die Signatur der Anfragen.",
  "The webhook is switched off. Switch it on first.": "Der Webhook ist ausgeschaltet. Schalten Sie ihn zuerst ein.",
  "This token is restricted. Use a token without a maximum of capabilities, or sign in.":
    "Dieses Token ist beschränkt. Verwenden Sie ein Token ohne Obergrenze der Rechte, oder melden Sie sich an.",
  "must name each type once": "muss jeden Typ einmal nennen",
};

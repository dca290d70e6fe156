/** Sentences of the webhooks in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "Send a complete address, such as https://hooks.example.com/documents.":
    "Envoyez une adresse complète, par exemple https://hooks.example.com/documents.",
  "Send an address at port 443 or 8443.": "Envoyez une adresse au port 443 ou 8443.",
  "Send an address of another service.": "Envoyez l’adresse d’un autre service.",
  "Send an address that begins with https://.": "Envoyez une adresse qui commence par https://.",
  "Send an address that is public. The service does not call private, local and reserved addresses.":
    "Envoyez une adresse publique. Le service n’appelle pas d’adresses privées, locales ou réservées.",
  "Send an address with a public name. The service does not call local names.":
    "Envoyez une adresse avec un nom public. Le service n’appelle pas de noms locaux.",
  "Send an address without a user name and a password. Verify the signature of the requests instead.":
    "Envoyez une adresse sans nom d’utilisateur ni mot de passe. Vérifiez plutôt la signature des requêtes.",
  "The webhook is switched off. Switch it on first.": "Le webhook est désactivé. Activez-le d’abord.",
  "This token is restricted. Use a token without a maximum of capabilities, or sign in.":
    "Ce jeton est restreint. Utilisez un jeton sans maximum de droits, ou connectez-vous.",
  "must name each type once": "doit nommer chaque type une seule fois",
};

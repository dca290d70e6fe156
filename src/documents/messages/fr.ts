import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  added: "Un document a été ajouté",
  newVersion: "Un document a une nouvelle version",
  arrived: (attachments) =>
    attachments === 0
      ? "Un e-mail est arrivé"
      : `Un e-mail est arrivé avec ${attachments} ${attachments === 1 ? "pièce jointe" : "pièces jointes"}`,
};

export const ARRIVALS: typeof first.ARRIVALS = {
  subject: (subject) => `Votre e-mail n’a pas été ajouté\u00a0: ${subject}`,
  begin: (subject) => `Votre e-mail «\u00a0${subject}\u00a0» n’a pas été ajouté aux documents.`,
  again: "Corrigez cela et envoyez l’e-mail de nouveau. Un programme a écrit cette réponse.",
  whole: "Ses pièces jointes n’ont pas pu être lues séparément. Elles sont dans l’e-mail.",
  reasons: {
    "sender-unverified": () =>
      "Son expéditeur n’a pas pu être vérifié\u00a0: l’e-mail a échoué au contrôle que son domaine demande (DMARC ou SPF).",
    "sender-not-allowed": () => "Son expéditeur ne peut pas envoyer de documents à cette adresse.",
    "person-left": () =>
      "La personne qui a créé cette adresse ne peut plus y ajouter de documents. Demandez aux personnes qui gèrent le lieu.",
    "too-large": (size) => `Il dépasse ${size}, la limite de cette adresse.`,
    unreadable: () => "Il n’a pas pu être lu comme un e-mail.",
    "kind-not-allowed": (named) => `Cette adresse n’accepte pas les fichiers comme «\u00a0${named}\u00a0».`,
    "too-many-attachments": (count) => `Il a plus de ${count} pièces jointes.`,
    "storage-full": () => "L’espace de stockage est plein.",
    "location-deleted": () => "Le lieu a été supprimé.",
  },
};

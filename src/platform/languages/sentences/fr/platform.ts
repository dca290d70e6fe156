/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "A part of the service did not answer.": "Une partie du service n’a pas répondu.",
  "A part of the service does not answer at the moment. Send the request again.":
    "Une partie du service ne répond pas pour le moment. Renvoyez la requête.",
  "A repeat of this request is still running. Send it again later.":
    "Une répétition de cette requête est encore en cours. Renvoyez-la plus tard.",
  "A rule does not allow this": "Une règle ne le permet pas",
  "Correct these fields and send the request again: {0}.": "Corrigez ces champs et renvoyez la requête : {0}.",
  "Every try crashed without a result.": "Chaque essai s’est arrêté sans résultat.",
  "It stopped unexpectedly.": "Un arrêt inattendu s’est produit.",
  "No browser could be started. Try again later.": "Aucun navigateur n’a pu être démarré. Réessayez plus tard.",
  "No browser is available at the moment. Try again later.":
    "Aucun navigateur n’est disponible pour le moment. Réessayez plus tard.",
  "Not allowed": "Non autorisé",
  "Not available at the moment": "Indisponible pour le moment",
  "Not found": "Introuvable",
  "Previews are made only of {0} files up to {1} MiB.":
    "Les aperçus n’existent que pour les fichiers {0} jusqu’à {1} Mio.",
  "The sign-in needs a second step": "La connexion demande une seconde étape",
  "Registration is not open": "L’inscription n’est pas ouverte",
  "Send `cursor` exactly as `nextCursor` of the previous page.":
    "Envoyez `cursor` exactement comme `nextCursor` de la page précédente.",
  "Send a body of at most {0} KiB.": "Envoyez au plus {0} Kio.",
  "Send the request again.": "Renvoyez la requête.",
  "Sign in first": "Connectez-vous d’abord",
  "Somebody else has started one of these jobs again. Read the list again.":
    "Quelqu’un d’autre a relancé une de ces tâches. Relisez la liste.",
  "Something went wrong in the service": "Une erreur s’est produite dans le service",
  "The camera is at another location now": "La caméra est maintenant sur un autre site",
  "The capture is older than the retention period": "La prise de vue est plus ancienne que la durée de conservation",
  "The capture time is in the future": "L’heure de la prise de vue est dans le futur",
  "The capture was registered with other metadata": "La prise de vue a été annoncée avec d’autres données",
  "The change would expire images": "Le changement ferait expirer des images",
  "The content is too large": "Le contenu est trop grand",
  "The credential has expired": "L’identifiant a expiré",
  "The credential is no longer valid": "L’identifiant n’est plus valable",
  "The credentials are wrong": "Les identifiants sont faux",
  "The cursor is not valid": "Le curseur n’est pas valable",
  "The database has an older schema than the service. Apply the migrations.":
    "La base de données a un schéma plus ancien que le service. Appliquez les migrations.",
  "The database of this service has no room. Its operator is told. Send the request again later.":
    "La base de données de ce service est pleine. Son exploitant en est informé. Renvoyez la requête plus tard.",
  "The export has changed. Start the download again.": "L’exportation a changé. Recommencez le téléchargement.",
  "The export has ended": "L’exportation est terminée",
  "The failure is logged under this request id. Please try again.":
    "L’erreur est consignée sous l’identifiant de cette requête. Veuillez réessayer.",
  "The file differs from its declared size, type or checksum":
    "Le fichier diffère de sa taille, de son type ou de sa somme de contrôle annoncés",
  "The file has no such picture": "Le fichier n’a pas cette image",
  "The file has not arrived": "Le fichier n’est pas arrivé",
  "The first request is still running. Send it again later.":
    "La première requête est encore en cours. Renvoyez-la plus tard.",
  "The idempotency key was used for another request": "La clé d’idempotence a servi pour une autre requête",
  "The invitation has ended": "L’invitation est terminée",
  "The key matches several resources": "La clé correspond à plusieurs ressources",
  "The link has expired": "Le lien a expiré",
  "The link needs its passcode": "Le lien demande son code d’accès",
  "The media type is not supported": "Le type de média n’est pas pris en charge",
  "The method is not allowed": "La méthode n’est pas autorisée",
  "The organization must have an owner": "L’organisation doit avoir un propriétaire",
  "The pairing code has ended": "Le code d’appairage est terminé",
  "The pairing code is for another camera": "Le code d’appairage est pour une autre caméra",
  "The picture cannot be read: {0}. The file itself is kept unchanged.":
    "L’image ne peut pas être lue : [0]. Le fichier lui-même est conservé sans changement.",
  "The picture has {0} × {1} pixels; previews of {2} files have a limit of {3} pixels.":
    "L’image a {0} × {1} pixels ; les aperçus de fichiers {2} ont une limite de {3} pixels.",
  "The picture has {0}.": "L’image a [0].",
  "The picture is {0} pixels wide; previews of image/png files have a limit of {1}.":
    "L’image a {0} pixels de large ; les aperçus de fichiers image/png ont une limite de {1}.",
  "The precondition failed": "La condition préalable n’est pas remplie",
  "The request conflicts with the current state": "La requête ne convient pas à l’état actuel",
  "The request could not be read": "La requête n’a pas pu être lue",
  "The request is not valid": "La requête n’est pas valable",
  "The request was completed, and its response is no longer available":
    "La requête a été exécutée, et sa réponse n’est plus disponible",
  "The request was completed, but its answer is no longer available. Read the resource, or its list, to see the change.":
    "La requête a été exécutée, mais sa réponse n’est plus disponible. Lisez la ressource, ou sa liste, pour voir la modification.",
  "The resource exists already": "La ressource existe déjà",
  "The resource is at revision {0} now. Read it again and repeat your change on that revision.":
    "La révision est maintenant {0}. Relisez la ressource et refaites votre changement sur cette révision.",
  "The resource was changed in the meantime": "La ressource a été modifiée entre-temps",
  "The resource was changed in the meantime. Read it again and repeat your change on the new revision.":
    "La ressource a été modifiée entre-temps. Relisez-la et refaites votre changement sur la nouvelle révision.",
  "The same request is still running": "La même requête est encore en cours",
  "The service reads other files at the moment. Send the request again.":
    "Le service lit d’autres fichiers pour le moment. Renvoyez la requête.",
  "The storage is full": "Le stockage est plein",
  "The template cannot be used": "Le modèle n’est pas utilisable",
  "The upload has ended": "L’envoi est terminé",
  "The workspace is being moved": "L’espace de travail est en cours de déplacement",
  "The workspace is being moved or backed up. Send the request again.":
    "L’espace de travail est en cours de déplacement ou de sauvegarde. Renvoyez la requête.",
  "There is no such file.": "Ce fichier n’existe pas.",
  "There is no such route. Find all routes in /openapi.json or /docs.":
    "Cette adresse n’existe pas. Toutes les adresses sont dans /openapi.json ou /docs.",
  "There is nothing here, or it is not visible to you.": "Il n’y a rien ici, ou cela ne vous est pas visible.",
  "This request has already been completed.": "Cette requête a déjà été exécutée.",
  "This service is not set up completely. Ask its operator to read the log.":
    "Ce service n’est pas entièrement configuré. Demandez à son exploitant de lire le journal.",
  "Too many requests": "Trop de requêtes",
  "Too many requests. Wait for the seconds in Retry-After, then send the request again.":
    "Trop de requêtes. Attendez les secondes de Retry-After, puis renvoyez la requête.",
  "You can see this, but your access does not allow what you asked for.":
    "Vous pouvez voir ceci, mais votre accès ne permet pas ce que vous avez demandé.",
  "a pixel has a colour that the palette lacks": "un pixel a une couleur absente de la palette",
  "is nested too deeply": "est trop imbriqué",
  "it is not a JPEG, PNG or WebP file": "ce n’est pas un fichier JPEG, PNG ou WebP",
  "its data is damaged or of an unsupported kind": "ses données sont endommagées ou d’un type non pris en charge",
  "its data is damaged: it ends early": "ses données sont endommagées : elles s’arrêtent trop tôt",
  "its header is cut off": "son en-tête est coupé",
  "may have at most {0} bytes as JSON": "a au plus {0} octets en JSON",
  "may have at most {0} keys and items in all": "a au plus {0} clés et éléments en tout",
  "may not have a key named {0}": "ne peut pas avoir de clé nommée {0}",
  "may not have a key of more than {0} characters": "ne peut pas avoir de clé de plus de {0} caractères",
  "may not have characters that change the direction of writing":
    "ne peut pas avoir de caractères qui changent le sens d’écriture",
  "may not have control characters": "ne peut pas avoir de caractères de contrôle",
  "may not have lone surrogates": "ne peut pas avoir de demi-codets isolés",
  "must be a JSON object": "doit être un objet JSON",
  "must be a UUID": "doit être un UUID",
  "must be a local time such as 07:30": "doit être une heure locale, telle que 07:30",
  "must be a whole number in decimal digits": "doit être un nombre entier en chiffres décimaux",
  "must be the IANA name of a time zone, such as Europe/Oslo":
    "doit être le nom IANA d’un fuseau horaire, tel que Europe/Oslo",
  "must have a visible character": "doit avoir un caractère visible",
  "{0} All tries are used up.": "[0] Tous les essais sont épuisés.",
  "{0} Upload a smaller copy if you need a preview. The file itself is kept.":
    "[0] Envoyez une copie plus petite si vous avez besoin d’un aperçu. Le fichier lui-même est conservé.",
};

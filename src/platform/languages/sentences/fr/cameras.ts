/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "A camera moves only within its organization. Create another camera in the other organization.":
    "Une caméra ne change de site que dans son organisation. Créez une autre caméra dans l’autre organisation.",
  "A link shows cameras that are or were at its location. Remove the others from `cameraIds`.":
    "Un lien montre les caméras qui sont ou étaient sur son site. Retirez les autres de `cameraIds`.",
  "A picture has 24 megapixels at most. Lower captureWidth or captureHeight.":
    "Une image a au plus 24 mégapixels. Réduisez la largeur ou la hauteur.",
  "An export has at most {0} images. Request shorter ranges.":
    "Une exportation a au plus {0} images. Demandez des périodes plus courtes.",
  "Another request retired the camera in the meantime.": "Une autre requête a retiré la caméra du service entre-temps.",
  "Enter the passcode of this link. The person who sent you the link has it.":
    "Saisissez le code d’accès de ce lien. La personne qui vous a envoyé le lien l’a.",
  "Images are kept for {0} days now. Those older than {1} days would expire at once. To confirm this, send confirmRetentionReduction true.":
    "Les images sont conservées {0} jours actuellement. Celles de plus de {1} jours expireraient aussitôt. Pour confirmer, envoyez confirmRetentionReduction true.",
  "Images at a former location of this camera would expire, and you may not change cameras there. Ask a person who may change them at both locations.":
    "Des images d’un ancien site de cette caméra expireraient, et vous ne pouvez pas y modifier les caméras. Demandez à une personne qui peut les modifier sur les deux sites.",
  "Images of this export were deleted or have expired, or the export itself has expired. Request a new one.":
    "Des images de cette exportation ont été supprimées ou ont expiré, ou l’exportation elle-même a expiré. Demandez-en une nouvelle.",
  "That location": "Ce site-là",
  "The SHA-256 of the received bytes differs from the announced one.":
    "Le SHA-256 des octets reçus diffère de celui annoncé.",
  "The camera has unfinished uploads. Pause it and wait until its queue is empty, or send cancelPending true.":
    "La caméra a des envois inachevés. Mettez-la en pause et attendez que sa file soit vide, ou envoyez cancelPending true.",
  "The camera is at this location already. Name another location.":
    "La caméra est déjà sur ce site. Indiquez-en un autre.",
  "The export is still being prepared.": "L’exportation est encore en préparation.",
  "The image is no longer held: it is being verified, or its operation has ended. Read the list again.":
    "L’image n’est plus retenue : elle est en cours de vérification, ou son opération est terminée. Relisez la liste.",
  "The image is verified already. Find it among the published or the rejected images.":
    "L’image est déjà vérifiée. Vous la trouverez parmi les images publiées ou refusées.",
  "The location has {0} links in use, which is the maximum. Revoke one that is no longer needed.":
    "Le site a {0} liens actifs, ce qui est le maximum. Révoquez-en un dont on n’a plus besoin.",
  "The location was deleted in the meantime.": "Le site a été supprimé entre-temps.",
  "There are no images in this range to export.": "Il n’y a aucune image à exporter dans cette période.",
  "There is no such pairing code. Check its 8 characters.":
    "Ce code d’appairage n’existe pas. Vérifiez ses 8 caractères.",
  "This address has expired. Read the export again for a new address, and resume the download with it.":
    "Cette adresse a expiré. Relisez l’exportation pour en obtenir une nouvelle, et reprenez le téléchargement avec elle.",
  "This camera is retired permanently. Create another camera for the device.":
    "Cette caméra est retirée définitivement. Créez une autre caméra pour l’appareil.",
  "This camera is retired permanently. Create another camera.":
    "Cette caméra est retirée définitivement. Créez une autre caméra.",
  "This link has ended permanently. Create a new one.": "Ce lien est définitivement terminé. Créez-en un nouveau.",
  "This location": "Ce site",
  "This organization keeps images for {0} days at most. Lower retentionDays.":
    "Cette organisation conserve les images {0} jours au plus. Réduisez le nombre de jours.",
  "This pairing code was used or replaced, or it has expired. Request a new one.":
    "Ce code d’appairage a été utilisé ou remplacé, ou il a expiré. Demandez-en un nouveau.",
  "This passcode is wrong. Check it with the person who sent you the link.":
    "Ce code d’accès est faux. Vérifiez-le avec la personne qui vous a envoyé le lien.",
  "`expiresAtUtc` has passed. Give a time in the future, or null.":
    "Le moment de `expiresAtUtc` est passé. Indiquez un moment futur, ou null.",
  "`showUntilUtc` is before `showFromUtc`. Exchange them.": "`showUntilUtc` est avant `showFromUtc`. Échangez-les.",
  "is too easy to guess": "est trop facile à deviner",
  "must be a local time such as 07:00": "doit être une heure locale, telle que 07:00",
  "must be within {0} days": "doit être dans les {0} jours",
  "must name each camera once": "doit nommer chaque caméra une seule fois",
  "must name each day once": "doit nommer chaque jour une seule fois",
  "must not begin and end at the same time": "ne peut pas commencer et finir à la même heure",
  "name at least one field to change": "indiquez au moins un champ à changer",
  "{0} bytes were announced, and {1} bytes were received.": "{0} octets ont été annoncés, et {1} octets ont été reçus.",
};

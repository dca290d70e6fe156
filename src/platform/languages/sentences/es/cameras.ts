/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "A camera moves only within its organization. Create another camera in the other organization.":
    "Una cámara solo se mueve dentro de su organización. Cree otra cámara en la otra organización.",
  "A link shows cameras that are or were at its location. Remove the others from `cameraIds`.":
    "Un enlace muestra cámaras que están o estuvieron en su sitio. Quite las demás de `cameraIds`.",
  "A picture has 24 megapixels at most. Lower captureWidth or captureHeight.":
    "Una imagen tiene 24 megapíxeles como máximo. Reduzca el ancho o el alto.",
  "An export has at most {0} images. Request shorter ranges.":
    "Una exportación tiene {0} imágenes como máximo. Solicite periodos más cortos.",
  "Another request retired the camera in the meantime.": "Otra solicitud ha retirado la cámara entretanto.",
  "Enter the passcode of this link. The person who sent you the link has it.":
    "Introduzca el código de acceso de este enlace. La persona que le envió el enlace lo tiene.",
  "Images are kept for {0} days now. Those older than {1} days would expire at once. To confirm this, send confirmRetentionReduction true.":
    "Las imágenes se conservan {0} días ahora. Las de más de {1} días caducarían enseguida. Para confirmarlo, envíe confirmRetentionReduction true.",
  "Images at a former location of this camera would expire, and you may not change cameras there. Ask a person who may change them at both locations.":
    "Caducarían imágenes de un sitio anterior de esta cámara, y usted no puede cambiar cámaras allí. Pídalo a una persona que pueda cambiarlas en ambos sitios.",
  "Images of this export were deleted or have expired, or the export itself has expired. Request a new one.":
    "Se han eliminado o han caducado imágenes de esta exportación, o ha caducado la propia exportación. Solicite una nueva.",
  "That location": "Ese sitio",
  "The SHA-256 of the received bytes differs from the announced one.":
    "El SHA-256 de los bytes recibidos difiere del anunciado.",
  "The camera has unfinished uploads. Pause it and wait until its queue is empty, or send cancelPending true.":
    "La cámara tiene envíos sin terminar. Póngala en pausa y espere a que su cola esté vacía, o envíe cancelPending true.",
  "The camera is at this location already. Name another location.": "La cámara ya está en este sitio. Indique otro.",
  "The export is still being prepared.": "La exportación todavía se está preparando.",
  "The image is no longer held: it is being verified, or its operation has ended. Read the list again.":
    "La imagen ya no está retenida: se está verificando, o su operación ha terminado. Vuelva a leer la lista.",
  "The image is verified already. Find it among the published or the rejected images.":
    "La imagen ya está verificada. La encontrará entre las imágenes publicadas o rechazadas.",
  "The location has {0} links in use, which is the maximum. Revoke one that is no longer needed.":
    "El sitio tiene {0} enlaces en uso, que es el máximo. Revoque uno que ya no haga falta.",
  "The location was deleted in the meantime.": "El sitio se ha eliminado entretanto.",
  "There are no images in this range to export.": "En este periodo no hay imágenes que exportar.",
  "There is no such pairing code. Check its 8 characters.":
    "No existe este código de emparejamiento. Compruebe sus 8 caracteres.",
  "This address has expired. Read the export again for a new address, and resume the download with it.":
    "Esta dirección ha caducado. Vuelva a leer la exportación para obtener otra y reanude la descarga con ella.",
  "This camera is retired permanently. Create another camera for the device.":
    "Esta cámara está retirada definitivamente. Cree otra cámara para el dispositivo.",
  "This camera is retired permanently. Create another camera.":
    "Esta cámara está retirada definitivamente. Cree otra cámara.",
  "This link has ended permanently. Create a new one.": "Este enlace ha terminado definitivamente. Cree uno nuevo.",
  "This location": "Este sitio",
  "This organization keeps images for {0} days at most. Lower retentionDays.":
    "Esta organización conserva las imágenes {0} días como máximo. Reduzca el número de días.",
  "This pairing code was used or replaced, or it has expired. Request a new one.":
    "Este código de emparejamiento se ha usado o sustituido, o ha caducado. Solicite uno nuevo.",
  "This passcode is wrong. Check it with the person who sent you the link.":
    "Este código de acceso es incorrecto. Compruébelo con la persona que le envió el enlace.",
  "`expiresAtUtc` has passed. Give a time in the future, or null.":
    "El momento de `expiresAtUtc` ha pasado. Indique uno futuro, o null.",
  "`showUntilUtc` is before `showFromUtc`. Exchange them.":
    "`showUntilUtc` es anterior a `showFromUtc`. Intercámbielos.",
  "is too easy to guess": "es demasiado fácil de adivinar",
  "must be a local time such as 07:00": "debe ser una hora local, como 07:00",
  "must be within {0} days": "debe estar dentro de {0} días",
  "must name each camera once": "debe nombrar cada cámara una sola vez",
  "must name each day once": "debe nombrar cada día una sola vez",
  "must not begin and end at the same time": "no puede empezar y terminar a la misma hora",
  "name at least one field to change": "indique al menos un campo que cambiar",
  "{0} bytes were announced, and {1} bytes were received.": "Se anunciaron {0} bytes y se recibieron {1} bytes.",
};

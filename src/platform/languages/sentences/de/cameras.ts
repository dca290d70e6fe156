/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "A camera moves only within its organization. Create another camera in the other organization.":
    "Eine Kamera wechselt den Standort nur innerhalb ihrer Organisation. Legen Sie in der anderen Organisation eine neue Kamera an.",
  "A link shows cameras that are or were at its location. Remove the others from `cameraIds`.":
    "Ein Link zeigt Kameras, die an seinem Standort sind oder waren. Entfernen Sie die anderen aus `cameraIds`.",
  "A picture has 24 megapixels at most. Lower captureWidth or captureHeight.":
    "Ein Bild hat höchstens 24 Megapixel. Verringern Sie Breite oder Höhe.",
  "An export has at most {0} images. Request shorter ranges.":
    "Ein Export hat höchstens {0} Bilder. Fordern Sie kürzere Zeiträume an.",
  "Another request retired the camera in the meantime.": "Eine andere Anfrage hat die Kamera inzwischen ausgemustert.",
  "Enter the passcode of this link. The person who sent you the link has it.":
    "Geben Sie den Zugangscode dieses Links ein. Die Person, die Ihnen den Link geschickt hat, kennt ihn.",
  "Images are kept for {0} days now. Those older than {1} days would expire at once. To confirm this, send confirmRetentionReduction true.":
    "Bilder werden jetzt {0} Tage aufbewahrt. Bilder, die älter als {1} Tage sind, würden sofort verfallen. Senden Sie zur Bestätigung confirmRetentionReduction true.",
  "Images at a former location of this camera would expire, and you may not change cameras there. Ask a person who may change them at both locations.":
    "Bilder an einem früheren Standort dieser Kamera würden verfallen, und Sie dürfen dort keine Kameras ändern. Bitten Sie eine Person, die sie an beiden Standorten ändern darf.",
  "Images of this export were deleted or have expired, or the export itself has expired. Request a new one.":
    "Bilder dieses Exports wurden gelöscht oder sind verfallen, oder der Export selbst ist abgelaufen. Fordern Sie einen neuen an.",
  "That location": "Jener Standort",
  "The SHA-256 of the received bytes differs from the announced one.":
    "Die SHA-256 der empfangenen Bytes weicht von der angekündigten ab.",
  "The camera has unfinished uploads. Pause it and wait until its queue is empty, or send cancelPending true.":
    "Die Kamera hat unfertige Uploads. Halten Sie sie an, und warten Sie, bis ihre Warteschlange leer ist, oder senden Sie cancelPending true.",
  "The camera is at this location already. Name another location.":
    "Die Kamera ist bereits an diesem Standort. Nennen Sie einen anderen.",
  "The export is still being prepared.": "Der Export wird noch vorbereitet.",
  "The image is no longer held: it is being verified, or its operation has ended. Read the list again.":
    "Das Bild wird nicht mehr zurückgehalten: Es wird geprüft, oder sein Vorgang ist beendet. Lesen Sie die Liste erneut.",
  "The image is verified already. Find it among the published or the rejected images.":
    "Das Bild ist bereits geprüft. Sie finden es unter den veröffentlichten oder den abgelehnten Bildern.",
  "The location has {0} links in use, which is the maximum. Revoke one that is no longer needed.":
    "Der Standort hat {0} aktive Links, und das ist das Maximum. Widerrufen Sie einen, der nicht mehr gebraucht wird.",
  "The location was deleted in the meantime.": "Der Standort wurde inzwischen gelöscht.",
  "There are no images in this range to export.":
    "In diesem Zeitraum gibt es keine Bilder, die exportiert werden können.",
  "There is no such pairing code. Check its 8 characters.":
    "Diesen Kopplungscode gibt es nicht. Prüfen Sie seine 8 Zeichen.",
  "This address has expired. Read the export again for a new address, and resume the download with it.":
    "Diese Adresse ist abgelaufen. Lesen Sie den Export erneut, um eine neue zu erhalten, und setzen Sie den Download damit fort.",
  "This camera is retired permanently. Create another camera for the device.":
    "Diese Kamera ist endgültig ausgemustert. Legen Sie für das Gerät eine neue Kamera an.",
  "This camera is retired permanently. Create another camera.":
    "Diese Kamera ist endgültig ausgemustert. Legen Sie eine neue Kamera an.",
  "This link has ended permanently. Create a new one.": "Dieser Link ist endgültig beendet. Legen Sie einen neuen an.",
  "This location": "Dieser Standort",
  "This organization keeps images for {0} days at most. Lower retentionDays.":
    "Diese Organisation bewahrt Bilder höchstens {0} Tage auf. Verringern Sie die Zahl der Tage.",
  "This pairing code was used or replaced, or it has expired. Request a new one.":
    "Dieser Kopplungscode wurde verwendet oder ersetzt, oder er ist abgelaufen. Fordern Sie einen neuen an.",
  "This passcode is wrong. Check it with the person who sent you the link.":
    "Dieser Zugangscode ist falsch. Klären Sie ihn mit der Person, die Ihnen den Link geschickt hat.",
  "`expiresAtUtc` has passed. Give a time in the future, or null.":
    "Der Zeitpunkt in `expiresAtUtc` ist vorbei. Nennen Sie einen in der Zukunft oder null.",
  "`showUntilUtc` is before `showFromUtc`. Exchange them.":
    "`showUntilUtc` liegt vor `showFromUtc`. Vertauschen Sie die beiden.",
  "is too easy to guess": "ist zu leicht zu erraten",
  "must be a local time such as 07:00": "muss eine Ortszeit sein, etwa 07:00",
  "must be within {0} days": "muss innerhalb von {0} Tagen liegen",
  "must name each camera once": "muss jede Kamera einmal nennen",
  "must name each day once": "muss jeden Tag einmal nennen",
  "must not begin and end at the same time": "darf nicht zur gleichen Zeit beginnen und enden",
  "name at least one field to change": "nennen Sie mindestens ein Feld, das sich ändern soll",
  "{0} bytes were announced, and {1} bytes were received.":
    "{0} Bytes wurden angekündigt, und {1} Bytes wurden empfangen.",
};

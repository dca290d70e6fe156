/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "A part of the service did not answer.": "Ein Teil des Dienstes hat nicht geantwortet.",
  "A part of the service does not answer at the moment. Send the request again.":
    "Ein Teil des Dienstes antwortet im Moment nicht. Senden Sie die Anfrage erneut.",
  "A repeat of this request is still running. Send it again later.":
    "Eine Wiederholung dieser Anfrage läuft noch. Senden Sie sie später erneut.",
  "A rule does not allow this": "Eine Regel erlaubt das nicht",
  "Correct these fields and send the request again: {0}.":
    "Korrigieren Sie diese Felder, und senden Sie die Anfrage erneut: {0}.",
  "Every try crashed without a result.": "Jeder Versuch ist ohne Ergebnis abgestürzt.",
  "It stopped unexpectedly.": "Es ist unerwartet stehen geblieben.",
  "No browser could be started. Try again later.":
    "Kein Browser konnte gestartet werden. Versuchen Sie es später erneut.",
  "No browser is available at the moment. Try again later.":
    "Im Moment ist kein Browser verfügbar. Versuchen Sie es später erneut.",
  "Not allowed": "Nicht erlaubt",
  "Not available at the moment": "Im Moment nicht verfügbar",
  "Not found": "Nicht gefunden",
  "Previews are made only of {0} files up to {1} MiB.": "Vorschauen gibt es nur von {0}-Dateien bis {1} MiB.",
  "The sign-in needs a second step": "Die Anmeldung braucht einen zweiten Schritt",
  "Registration is not open": "Die Registrierung ist nicht offen",
  "Send `cursor` exactly as `nextCursor` of the previous page.":
    "Senden Sie `cursor` genau so, wie `nextCursor` der vorigen Seite ist.",
  "Send a body of at most {0} KiB.": "Senden Sie höchstens {0} KiB.",
  "Send the request again.": "Senden Sie die Anfrage erneut.",
  "Sign in first": "Melden Sie sich zuerst an",
  "Somebody else has started one of these jobs again. Read the list again.":
    "Jemand anderes hat einen dieser Aufträge erneut gestartet. Lesen Sie die Liste erneut.",
  "Something went wrong in the service": "Im Dienst ist etwas schiefgegangen",
  "The camera is at another location now": "Die Kamera ist jetzt an einem anderen Standort",
  "The capture is older than the retention period": "Die Aufnahme ist älter als die Aufbewahrungszeit",
  "The capture time is in the future": "Der Zeitpunkt der Aufnahme liegt in der Zukunft",
  "The capture was registered with other metadata": "Die Aufnahme wurde mit anderen Angaben angekündigt",
  "The change would expire images": "Durch die Änderung würden Bilder verfallen",
  "The content is too large": "Der Inhalt ist zu groß",
  "The credential has expired": "Die Zugangsdaten sind abgelaufen",
  "The credential is no longer valid": "Die Zugangsdaten gelten nicht mehr",
  "The credentials are wrong": "Die Zugangsdaten sind falsch",
  "The cursor is not valid": "Der Cursor ist nicht gültig",
  "The database has an older schema than the service. Apply the migrations.":
    "Die Datenbank hat ein älteres Schema als der Dienst. Wenden Sie die Migrationen an.",
  "The database of this service has no room. Its operator is told. Send the request again later.":
    "Die Datenbank dieses Dienstes ist voll. Ihr Betreiber erfährt es. Senden Sie die Anfrage später erneut.",
  "The export has changed. Start the download again.":
    "Der Export hat sich geändert. Beginnen Sie den Download von vorn.",
  "The export has ended": "Der Export ist beendet",
  "The failure is logged under this request id. Please try again.":
    "Der Fehler ist unter der Kennung dieser Anfrage protokolliert. Versuchen Sie es bitte erneut.",
  "The file differs from its declared size, type or checksum":
    "Die Datei weicht von ihrer angekündigten Größe, Art oder Prüfsumme ab",
  "The file has no such picture": "Die Datei hat kein solches Bild",
  "The file has not arrived": "Die Datei ist nicht angekommen",
  "The first request is still running. Send it again later.":
    "Die erste Anfrage läuft noch. Senden Sie sie später erneut.",
  "The idempotency key was used for another request":
    "Der Idempotenz-Schlüssel wurde für eine andere Anfrage verwendet",
  "The invitation has ended": "Die Einladung ist beendet",
  "The key matches several resources": "Der Schlüssel passt zu mehreren Einträgen",
  "The link has expired": "Der Link ist abgelaufen",
  "The link needs its passcode": "Der Link braucht seinen Zugangscode",
  "The media type is not supported": "Der Medientyp wird nicht unterstützt",
  "The method is not allowed": "Die Methode ist nicht erlaubt",
  "The organization must have an owner": "Die Organisation muss einen Eigentümer haben",
  "The pairing code has ended": "Der Kopplungscode ist beendet",
  "The pairing code is for another camera": "Der Kopplungscode ist für eine andere Kamera",
  "The picture cannot be read: {0}. The file itself is kept unchanged.":
    "Das Bild ist nicht lesbar: [0]. Die Datei selbst bleibt unverändert erhalten.",
  "The picture has {0} × {1} pixels; previews of {2} files have a limit of {3} pixels.":
    "Das Bild hat {0} × {1} Pixel; Vorschauen von {2}-Dateien haben eine Grenze von {3} Pixeln.",
  "The picture has {0}.": "Das Bild hat [0].",
  "The picture is {0} pixels wide; previews of image/png files have a limit of {1}.":
    "Das Bild ist {0} Pixel breit; Vorschauen von image/png-Dateien haben eine Grenze von {1}.",
  "The precondition failed": "Die Vorbedingung ist nicht erfüllt",
  "The request conflicts with the current state": "Die Anfrage passt nicht zum jetzigen Stand",
  "The request could not be read": "Die Anfrage war nicht lesbar",
  "The request is not valid": "Die Anfrage ist nicht gültig",
  "The request was completed, and its response is no longer available":
    "Die Anfrage wurde ausgeführt, und ihre Antwort ist nicht mehr verfügbar",
  "The request was completed, but its answer is no longer available. Read the resource, or its list, to see the change.":
    "Die Anfrage wurde ausgeführt, aber ihre Antwort ist nicht mehr verfügbar. Lesen Sie die Ressource oder ihre Liste, um die Änderung zu sehen.",
  "The resource exists already": "Das gibt es bereits",
  "The resource is at revision {0} now. Read it again and repeat your change on that revision.":
    "Die Revision ist jetzt {0}. Lesen Sie erneut, und wiederholen Sie Ihre Änderung auf dieser Revision.",
  "The resource was changed in the meantime": "Der Eintrag wurde inzwischen geändert",
  "The resource was changed in the meantime. Read it again and repeat your change on the new revision.":
    "Der Eintrag wurde inzwischen geändert. Lesen Sie ihn erneut, und wiederholen Sie Ihre Änderung auf der neuen Revision.",
  "The same request is still running": "Dieselbe Anfrage läuft noch",
  "The service reads other files at the moment. Send the request again.":
    "Der Dienst liest im Moment andere Dateien. Senden Sie die Anfrage erneut.",
  "The storage is full": "Der Speicher ist voll",
  "The template cannot be used": "Die Vorlage ist nicht verwendbar",
  "The upload has ended": "Der Upload ist beendet",
  "The workspace is being moved": "Der Arbeitsbereich zieht gerade um",
  "The workspace is being moved or backed up. Send the request again.":
    "Der Arbeitsbereich zieht gerade um oder wird gesichert. Senden Sie die Anfrage erneut.",
  "There is no such file.": "Diese Datei gibt es nicht.",
  "There is no such route. Find all routes in /openapi.json or /docs.":
    "Diese Adresse gibt es nicht. Alle Adressen stehen in /openapi.json oder /docs.",
  "There is nothing here, or it is not visible to you.": "Hier gibt es nichts, oder es ist für Sie nicht sichtbar.",
  "This request has already been completed.": "Diese Anfrage ist bereits ausgeführt.",
  "This service is not set up completely. Ask its operator to read the log.":
    "Dieser Dienst ist nicht vollständig eingerichtet. Bitten Sie seinen Betreiber, das Protokoll zu lesen.",
  "Too many requests": "Zu viele Anfragen",
  "Too many requests. Wait for the seconds in Retry-After, then send the request again.":
    "Zu viele Anfragen. Warten Sie die Sekunden in Retry-After ab, und senden Sie die Anfrage dann erneut.",
  "You can see this, but your access does not allow what you asked for.":
    "Sie können das sehen, aber Ihr Zugriff erlaubt nicht, was Sie wollten.",
  "a pixel has a colour that the palette lacks": "ein Pixel hat eine Farbe, die der Palette fehlt",
  "is nested too deeply": "ist zu tief verschachtelt",
  "it is not a JPEG, PNG or WebP file": "es ist keine JPEG-, PNG- oder WebP-Datei",
  "its data is damaged or of an unsupported kind":
    "die Daten sind beschädigt oder von einer Art, die nicht unterstützt wird",
  "its data is damaged: it ends early": "die Daten sind beschädigt: Sie enden zu früh",
  "its header is cut off": "der Kopf ist abgeschnitten",
  "may have at most {0} bytes as JSON": "darf als JSON höchstens {0} Bytes haben",
  "may have at most {0} keys and items in all": "darf insgesamt höchstens {0} Schlüssel und Einträge haben",
  "may not have a key named {0}": "darf keinen Schlüssel mit dem Namen {0} haben",
  "may not have a key of more than {0} characters": "darf keinen Schlüssel mit mehr als {0} Zeichen haben",
  "may not have characters that change the direction of writing":
    "darf keine Zeichen haben, die die Schreibrichtung ändern",
  "may not have control characters": "darf keine Steuerzeichen haben",
  "may not have lone surrogates": "darf keine einzelnen Surrogate haben",
  "must be a JSON object": "muss ein JSON-Objekt sein",
  "must be a UUID": "muss eine UUID sein",
  "must be a local time such as 07:30": "muss eine Ortszeit sein, etwa 07:30",
  "must be a whole number in decimal digits": "muss eine ganze Zahl in Dezimalziffern sein",
  "must be the IANA name of a time zone, such as Europe/Oslo":
    "muss der IANA-Name einer Zeitzone sein, etwa Europe/Oslo",
  "must have a visible character": "muss ein sichtbares Zeichen haben",
  "{0} All tries are used up.": "[0] Alle Versuche sind aufgebraucht.",
  "{0} Upload a smaller copy if you need a preview. The file itself is kept.":
    "[0] Laden Sie eine kleinere Kopie hoch, wenn Sie eine Vorschau brauchen. Die Datei selbst bleibt erhalten.",
};

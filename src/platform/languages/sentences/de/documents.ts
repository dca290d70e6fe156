/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "You may not add documents to the location of this document.":
    "Sie dürfen am Standort dieses Dokuments keine Dokumente hinzufügen.",
  "The document was deleted.": "Das Dokument wurde gelöscht.",
  "Another job takes the files out.": "Ein anderer Auftrag nimmt die Dateien heraus.",
  "There are no files inside.": "Es sind keine Dateien darin.",
  "Only the first {0} files were taken out.": "Nur die ersten {0} Dateien wurden herausgenommen.",
  "Some files are stored in a way that the service does not read. They were left out.":
    "Einige Dateien sind auf eine Art gespeichert, die der Dienst nicht liest. Sie wurden ausgelassen.",
  "The person who asked for this may not add documents here any more.":
    "Die Person, die darum gebeten hat, darf hier keine Dokumente mehr hinzufügen.",
  "The storage is full. Delete documents or ask for more, and try again.":
    "Der Speicher ist voll. Löschen Sie Dokumente oder fragen Sie nach mehr, und versuchen Sie es noch einmal.",
  "Files are taken out of documents of up to 16 MiB.":
    "Dateien werden aus Dokumenten von bis zu 16 MiB herausgenommen.",
  "The mail has more parts than the service reads.": "Die E-Mail hat mehr Teile, als der Dienst liest.",
  "The PDF is encrypted. Save it without a password to take its files out.":
    "Das PDF ist verschlüsselt. Speichern Sie es ohne Passwort, um seine Dateien herauszunehmen.",
  "The PDF has more objects than the service reads.": "Das PDF hat mehr Objekte, als der Dienst liest.",
  "The location has an address already. Change or replace it.":
    "Der Standort hat schon eine Adresse. Ändern oder ersetzen Sie sie.",
  "The other location": "Der andere Standort",
  "The location was deleted.": "Der Standort wurde gelöscht.",
  "The person who asked for this may not change documents here any more.":
    "Die Person, die das verlangt hat, darf die Dokumente hier nicht mehr ändern.",
  "The service could not go on. Try again.": "Der Dienst konnte nicht weitermachen. Versuchen Sie es noch einmal.",
  "A folder with this path exists. Choose another name.":
    "Ein Ordner mit diesem Pfad existiert. Wählen Sie einen anderen Namen.",
  "A folder cannot move to its own place or into itself. Choose another place.":
    "Ein Ordner kann nicht an seinen eigenen Platz oder in sich selbst verschoben werden. Wählen Sie einen anderen Platz.",
  "Another change of the folders of this location runs. Wait until it has ended.":
    "Eine andere Änderung der Ordner dieses Standorts läuft. Warten Sie, bis sie beendet ist.",
  "The documents of the folder were changed in the meantime. Try again.":
    "Die Dokumente des Ordners wurden inzwischen geändert. Versuchen Sie es erneut.",
  "A document of this folder would have a path and file name of more than {0} bytes. Choose a shorter path.":
    "Ein Dokument dieses Ordners hätte einen Pfad und Dateinamen von mehr als {0} Byte. Wählen Sie einen kürzeren Pfad.",
  "The location has no folder with this path. Read its folders again.":
    "Der Standort hat keinen Ordner mit diesem Pfad. Lesen Sie seine Ordner erneut.",
  "This service receives no mail. Ask its operator to set it up.":
    "Dieser Dienst empfängt keine E-Mails. Bitten Sie den Betreiber, das einzurichten.",
  "must be an e-mail address or a domain": "muss eine E-Mail-Adresse oder eine Domain sein",
  "name a folder": "nennen Sie einen Ordner",
  "too long together with the names below it": "zu lang zusammen mit den Namen darunter",
  "1 page": "1 Seite",
  "Documents and folders move only between locations of the same workspace.":
    "Dokumente und Ordner wechseln nur zwischen Standorten desselben Arbeitsbereichs.",
  "A document with this path and name exists. Choose another name.":
    "Ein Dokument mit diesem Pfad und Namen existiert. Wählen Sie einen anderen Namen.",
  "A logo or banner is a PNG, JPEG, WebP or SVG picture: {0}.":
    "Ein Logo oder Banner ist ein Bild im Format PNG, JPEG, WebP oder SVG: [0].",
  "A logo or banner may have 5 MiB at most. Send a smaller picture.":
    "Ein Logo oder Banner darf höchstens 5 MiB haben. Senden Sie ein kleineres Bild.",
  "A page of the PDF contains too much text or drawing.":
    "Eine Seite der PDF-Datei enthält zu viel Text oder Zeichnung.",
  "A part of the file cannot be unpacked.": "Ein Teil der Datei lässt sich nicht entpacken.",
  "A part of the file contains a single run of text of more than 4 MiB.":
    "Ein Teil der Datei enthält einen einzigen Text von mehr als 4 MiB.",
  "A part of the file has a document type declaration, which office programs do not write.":
    "Ein Teil der Datei hat eine Dokumenttyp-Deklaration, die Office-Programme nicht schreiben.",
  "A part of the file is not well-formed.": "Ein Teil der Datei ist nicht wohlgeformt.",
  "A part that describes the file is too large.": "Ein Teil, der die Datei beschreibt, ist zu groß.",
  "A slide of the file is missing.": "Eine Folie der Datei fehlt.",
  "A tag with this name exists already. Choose another name, or use that tag.":
    "Es gibt bereits ein Schlagwort mit diesem Namen. Wählen Sie einen anderen Namen, oder verwenden Sie jenes.",
  "An export has at most {0} documents, versions and images. Request a shorter range of images.":
    "Ein Export hat höchstens {0} Dokumente, Versionen und Bilder. Fordern Sie einen kürzeren Zeitraum der Bilder an.",
  "An export of this workspace is being prepared. Wait for it, or cancel it.":
    "Ein Export dieses Arbeitsbereichs wird vorbereitet. Warten Sie darauf, oder brechen Sie ihn ab.",
  "Another document or upload has this path and name now. Rename or delete it, then restore this document.":
    "Ein anderes Dokument oder ein anderer Upload hat jetzt diesen Pfad und Namen. Benennen Sie es um oder löschen Sie es, und stellen Sie dann dieses Dokument wieder her.",
  "Files of the preparation were removed. Start a new export.":
    "Dateien der Vorbereitung wurden entfernt. Beginnen Sie einen neuen Export.",
  "No file has arrived. PUT it to `uploadUrl`, then call this again.":
    "Es ist keine Datei angekommen. Senden Sie sie mit PUT an `uploadUrl`, und rufen Sie dies dann erneut auf.",
  "No text could be read in the pictures of {0}.": "In den Bildern von [0] war kein Text zu lesen.",
  "No text could be read in the pictures: they have none, or it is too faint, too small or written by hand.":
    "In den Bildern war kein Text zu lesen: Sie haben keinen, oder er ist zu blass, zu klein oder von Hand geschrieben.",
  "Only an owner may export an organization.": "Nur ein Eigentümer darf eine Organisation exportieren.",
  "Page {0} of the PDF cannot be read.": "Seite {0} der PDF-Datei ist nicht lesbar.",
  "Pages are pictures, and the organization has used up its jobs of this month. The other pages are read next month.":
    "Seiten sind Bilder, und die Organisation hat ihre Aufträge dieses Monats aufgebraucht. Die übrigen Seiten werden im nächsten Monat gelesen.",
  "Pages are pictures. The recognition of text in pictures is switched off for this organization.":
    "Seiten sind Bilder. Die Texterkennung in Bildern ist für diese Organisation ausgeschaltet.",
  "Pages are pictures. The recognition of text in pictures is switched off on this service.":
    "Seiten sind Bilder. Die Texterkennung in Bildern ist in diesem Dienst ausgeschaltet.",
  "Pages of the PDF cannot be read.": "Seiten der PDF-Datei sind nicht lesbar.",
  "Path and file name together must have at most {0} bytes. Shorten one of them.":
    "Pfad und Dateiname dürfen zusammen höchstens {0} Bytes haben. Kürzen Sie einen von beiden.",
  "Search finds only the first {0} pages of the PDF.": "Die Suche findet nur die ersten {0} Seiten der PDF-Datei.",
  "Search finds the text of the document. {0} without text are read as pictures.":
    "Die Suche findet den Text des Dokuments. [0] ohne Text werden als Bilder gelesen.",
  "Text was recognized on {0} of {1}.": "Text wurde auf {0} von [1] erkannt.",
  "The PDF holds more than {0} streams.": "Die PDF-Datei enthält mehr als {0} Datenströme.",
  "The PDF is damaged.": "Die PDF-Datei ist beschädigt.",
  "The PDF is larger than 16 MiB. This service reads such a PDF only while text recognition is on. Split it into smaller files and upload them.":
    "Die PDF-Datei ist größer als 16 MiB. Dieser Dienst liest eine solche Datei nur, wenn die Texterkennung eingeschaltet ist. Teilen Sie sie in kleinere Dateien auf, und laden Sie diese hoch.",
  "The PDF opens only with a password.": "Die PDF-Datei öffnet sich nur mit einem Passwort.",
  "The PDF unpacks to more data than the service reads. Print it to a new PDF and upload that.":
    "Die PDF-Datei entpackt sich zu mehr Daten, als der Dienst liest. Drucken Sie sie in eine neue PDF-Datei, und laden Sie diese hoch.",
  "The SHA-256 of the received file differs from the announced one. Start the upload again and send the file unchanged.":
    "Die SHA-256 der empfangenen Datei weicht von der angekündigten ab. Beginnen Sie den Upload von vorn, und senden Sie die Datei unverändert.",
  "The browser ended while it read the pages. Try again.":
    "Der Browser endete, während er die Seiten las. Versuchen Sie es erneut.",
  "The document has too much text. Search finds only the first {0} Mi characters.":
    "Das Dokument hat zu viel Text. Die Suche findet nur die ersten {0} Mi Zeichen.",
  "The document is in the trash. Restore it first.":
    "Das Dokument ist im Papierkorb. Stellen Sie es zuerst wieder her.",
  "The document or its location was deleted in the meantime.":
    "Das Dokument oder sein Standort wurde inzwischen gelöscht.",
  "The document or its organization was changed in the meantime.":
    "Das Dokument oder seine Organisation wurde inzwischen geändert.",
  "The document was changed in the meantime. Try again.":
    "Das Dokument wurde inzwischen geändert. Versuchen Sie es erneut.",
  "The document was deleted in the meantime.": "Das Dokument wurde inzwischen gelöscht.",
  "The elements in a part of the file are nested too deep.":
    "Die Elemente in einem Teil der Datei sind zu tief verschachtelt.",
  "The elements of the page are nested too deep.": "Die Elemente der Seite sind zu tief verschachtelt.",
  "The export has expired, was cancelled, or a file of it was deleted. Start a new one.":
    "Der Export ist abgelaufen, wurde abgebrochen, oder eine seiner Dateien wurde gelöscht. Beginnen Sie einen neuen.",
  "The file cannot be read.": "Die Datei ist nicht lesbar.",
  "The file cannot be read. Open it in the program that made it and save it again.":
    "Die Datei ist nicht lesbar. Öffnen Sie sie in dem Programm, mit dem sie erstellt wurde, und speichern Sie sie erneut.",
  "The file contains more than {0} parts.": "Die Datei enthält mehr als {0} Teile.",
  "The file contains no text.": "Die Datei enthält keinen Text.",
  "The file differs from the announced one. Start the upload again.":
    "Die Datei weicht von der angekündigten ab. Beginnen Sie den Upload von vorn.",
  "The file does not declare its character set, and its bytes do not show it. Save it as UTF-8 and upload it again.":
    "Die Datei nennt ihren Zeichensatz nicht, und ihre Bytes zeigen ihn nicht. Speichern Sie sie als UTF-8, und laden Sie sie erneut hoch.",
  "The file ends before its text.": "Die Datei endet vor ihrem Text.",
  "The file has no text part.": "Die Datei hat keinen Textteil.",
  "The file has no workbook.": "Die Datei hat keine Arbeitsmappe.",
  "The file holds more than {0} parts.": "Die Datei enthält mehr als {0} Teile.",
  "The file holds more than {0} sheets.": "Die Datei enthält mehr als {0} Tabellenblätter.",
  "The file holds more than {0} slides.": "Die Datei enthält mehr als {0} Folien.",
  "The file is not a complete archive.": "Die Datei ist kein vollständiges Archiv.",
  "The file is protected against copying.": "Die Datei ist mit einem Kopierschutz versehen.",
  "The file is protected with a password.": "Die Datei ist mit einem Passwort geschützt.",
  "The file is still being verified. Call this again to get the result.":
    "Die Datei wird noch geprüft. Rufen Sie dies erneut auf, um das Ergebnis zu erhalten.",
  "The file unpacks to more than 128 MiB, which is the maximum.":
    "Die Datei entpackt sich zu mehr als 128 MiB, und das ist das Maximum.",
  "The file unpacks to more than 200 times its size, which is the maximum.":
    "Die Datei entpackt sich zu mehr als dem 200-Fachen ihrer Größe, und das ist das Maximum.",
  "The file uses an unsupported compression method.":
    "Die Datei verwendet ein Kompressionsverfahren, das nicht unterstützt wird.",
  "The groups of the file are nested too deep.": "Die Gruppen der Datei sind zu tief verschachtelt.",
  "The header of the picture cannot be read.": "Der Kopf des Bildes ist nicht lesbar.",
  "The mail cannot be read.": "Die E-Mail ist nicht lesbar.",
  "The mail {0}. Search finds its text, but not the text of all attachments.":
    "Die E-Mail [0]. Die Suche findet ihren Text, aber nicht den Text aller Anhänge.",
  "The organization was deleted in the meantime.": "Die Organisation wurde inzwischen gelöscht.",
  "The organization was deleted.": "Die Organisation wurde gelöscht.",
  "The page contains a single tag of more than 16 MiB.": "Die Seite enthält ein einzelnes Tag von mehr als 16 MiB.",
  "The parts of the file are too scattered. Save it under another name and upload that.":
    "Die Teile der Datei liegen zu weit verstreut. Speichern Sie sie unter einem anderen Namen, und laden Sie diese Datei hoch.",
  "The pages could not be read. {0}": "Die Seiten ließen sich nicht lesen. [0]",
  "The picture has {0} × {1} pixels. An edge may have up to {2} pixels.":
    "Das Bild hat {0} × {1} Pixel. Eine Seite darf bis zu {2} Pixel haben.",
  "The picture is stored in a form that the service does not read. Save it as a JPEG or PDF.":
    "Das Bild ist in einer Form gespeichert, die der Dienst nicht liest. Speichern Sie es als JPEG oder PDF.",
  "Previews of HEIC and TIFF files are made up to {0} MiB.":
    "Vorschauen von HEIC- und TIFF-Dateien gibt es bis {0} MiB.",
  "The recognition of text and the previews of such files are switched off on this service.":
    "Die Texterkennung und die Vorschauen solcher Dateien sind auf diesem Dienst ausgeschaltet.",
  "{0} The file itself is kept unchanged.": "[0] Die Datei selbst bleibt unverändert erhalten.",
  "The picture has {0} × {1} pixels. Text is recognized in pictures of up to {2} megapixels.":
    "Das Bild hat {0} × {1} Pixel. Text wird in Bildern bis {2} Megapixel erkannt.",
  "The preparation took too long.": "Die Vorbereitung hat zu lange gedauert.",
  "The preparation took too long. Request fewer images.":
    "Die Vorbereitung hat zu lange gedauert. Fordern Sie weniger Bilder an.",
  "The service cannot extract text from Office formats before 2007. Save the file in a current format and upload it again.":
    "Der Dienst liest keinen Text aus Office-Formaten von vor 2007. Speichern Sie die Datei in einem aktuellen Format, und laden Sie sie erneut hoch.",
  "The service cannot extract text from Word formats before 97. Save the file in a current format and upload it again.":
    "Der Dienst liest keinen Text aus Word-Formaten von vor 97. Speichern Sie die Datei in einem aktuellen Format, und laden Sie sie erneut hoch.",
  "The service cannot extract text from files of this kind. Search finds only the file's name.":
    "Der Dienst liest keinen Text aus Dateien dieser Art. Die Suche findet nur den Namen der Datei.",
  "The service is preparing the picture. Try again in a few seconds.":
    "Der Dienst bereitet das Bild vor. Versuchen Sie es in einigen Sekunden erneut.",
  "The shared strings of the workbook are larger than 24 MiB.":
    "Die gemeinsamen Texte der Arbeitsmappe sind größer als 24 MiB.",
  "The storage is full, including the bytes that open uploads reserve. Delete documents or ask the operator for more, then try again.":
    "Der Speicher ist voll, die reservierten Bytes offener Uploads eingerechnet. Löschen Sie Dokumente, oder bitten Sie den Betreiber um mehr, und versuchen Sie es dann erneut.",
  "The text could not be extracted. {0}": "Der Text ließ sich nicht lesen. [0]",
  "The upload has ended in the meantime.": "Der Upload ist inzwischen beendet.",
  "The upload has ended in the meantime. Start it again.":
    "Der Upload ist inzwischen beendet. Beginnen Sie ihn von vorn.",
  "The upload has expired or was cancelled. Start it again.":
    "Der Upload ist abgelaufen oder wurde abgebrochen. Beginnen Sie ihn von vorn.",
  "The upload has expired. Start it again.": "Der Upload ist abgelaufen. Beginnen Sie ihn von vorn.",
  "The upload has its result already, so it cannot be cancelled.":
    "Der Upload hat bereits sein Ergebnis, darum lässt er sich nicht abbrechen.",
  "The upload is being completed by another request.": "Eine andere Anfrage schließt den Upload gerade ab.",
  "The workbook has more formats than Excel allows.": "Die Arbeitsmappe hat mehr Formate, als Excel erlaubt.",
  "The written files have expired. Try again.": "Die geschriebenen Dateien sind abgelaufen. Versuchen Sie es erneut.",
  "There is no preview of this file.": "Von dieser Datei gibt es keine Vorschau.",
  "The first page cannot be drawn.": "Die erste Seite kann nicht gezeichnet werden.",
  "This SVG contains text. Reports draw it with the fonts of the machine that prints, and the previews leave it out. Convert the text to outlines and upload the file again.":
    "Diese SVG-Datei enthält Text. Berichte zeichnen ihn mit den Schriften des druckenden Rechners, und die Vorschauen lassen ihn weg. Wandeln Sie den Text in Pfade um, und laden Sie die Datei erneut hoch.",
  "This document would have more than {0} tags. Take some of its tags away.":
    "Dieses Dokument hätte mehr als {0} Schlagwörter. Nehmen Sie ihm einige.",
  "This token is restricted. Use a token without restrictions, or sign in.":
    "Dieses Token ist eingeschränkt. Verwenden Sie ein Token ohne Einschränkungen, oder melden Sie sich an.",
  "This workspace": "Dieser Arbeitsbereich",
  "You announced {0} bytes and sent {1}. Start the upload again with the right size.":
    "Sie haben {0} Bytes angekündigt und {1} gesendet. Beginnen Sie den Upload mit der richtigen Größe von vorn.",
  "You or this token cannot read everything that the export has. Missing: {0}. Without images it needs no cameras.":
    "Sie oder dieses Token können nicht alles lesen, was der Export enthält. Es fehlt: {0}. Ohne Bilder braucht er keine Kameras.",
  "has too many lines or parts": "hat zu viele Zeilen oder Teile",
  "is larger than 16 MiB": "ist größer als 16 MiB",
  "it cannot be drawn": "sie lässt sich nicht zeichnen",
  "it cannot be read": "sie ist nicht lesbar",
  "it declares entities": "sie deklariert Entitäten",
  "it has more than {0} elements": "sie hat mehr als {0} Elemente",
  "it has {0} × {1} pixels, and the maximum is {2} pixels in all":
    "sie hat {0} × {1} Pixel, und das Maximum sind insgesamt {2} Pixel",
  "it is not well-formed XML": "sie ist kein wohlgeformtes XML",
  "it uses filters or foreign objects": "sie verwendet Filter oder fremde Objekte",
  "its data is damaged": "ihre Daten sind beschädigt",
  "its elements are nested more than {0} deep": "ihre Elemente sind tiefer als {0} Ebenen verschachtelt",
  "its header gives no size": "ihr Kopf nennt keine Größe",
  "its paths are too long, or its references multiply too often or form a circle":
    "ihre Pfade sind zu lang, oder ihre Verweise vervielfachen sich zu oft oder bilden einen Kreis",
  "its root is not an svg element": "ihr oberstes Element ist kein svg-Element",
  "its stylesheet is too long": "ihr Stylesheet ist zu lang",
  "may have at most {0} characters in each segment": "darf in jedem Abschnitt höchstens {0} Zeichen haben",
  "may not have a segment of v and eight digits: it means a version":
    "darf keinen Abschnitt aus v und acht Ziffern haben: Er bezeichnet eine Version",
  "may not have a slash": "darf keinen Schrägstrich haben",
  "may not have an empty segment, and may not begin or end with a slash":
    "darf keinen leeren Abschnitt haben und nicht mit einem Schrägstrich beginnen oder enden",
  "may not have the segments . and ..": "darf die Abschnitte . und .. nicht haben",
  "must be #rgb, #rrggbb or #rrggbbaa": "muss #rgb, #rrggbb oder #rrggbbaa sein",
  "must be a media type, such as application/pdf": "muss ein Medientyp sein, etwa application/pdf",
  "must be a media type, such as image/png": "muss ein Medientyp sein, etwa image/png",
  "name each grant once": "nennen Sie jede Freigabe einmal",
  "name each document once": "nennen Sie jedes Dokument einmal",
  "this file is another kind": "diese Datei hat ein anderes Format",
  "toUtc must not be before fromUtc": "toUtc darf nicht vor fromUtc liegen",
  "too long together with fileName": "zusammen mit fileName zu lang",
  "{0} Open it in the program that made it and save it again.":
    "[0] Öffnen Sie die Datei in dem Programm, mit dem sie erstellt wurde, und speichern Sie sie erneut.",
  "{0} Use linkType=file to get the file itself.": "[0] Mit linkType=file erhalten Sie die Datei selbst.",
  "{0} behind them were not read.": "Nicht gelesen wurden dahinter [0].",
  "{0} pages": "{0} Seiten",
  "{0}: damaged. Open the file in the program that made it and save it again.":
    "[0]: beschädigt. Öffnen Sie die Datei in dem Programm, mit dem sie erstellt wurde, und speichern Sie sie erneut.",
  "{0}: reading did not end in time. Print the document to a new PDF and upload that.":
    "[0]: Das Lesen endete nicht rechtzeitig. Drucken Sie das Dokument in eine neue PDF-Datei, und laden Sie diese hoch.",
  "What the export is of was deleted.": "Das, was exportiert werden sollte, wurde gelöscht.",
  "This upload is not sent in parts.": "Dieser Upload wird nicht in Teilen gesendet.",
  "The upload has {0} parts.": "Der Upload hat {0} Teile.",
  "must have numbers from 1 to {0}": "muss Nummern von 1 bis {0} haben",
  "The upload has ended. Start it again.": "Der Upload ist beendet. Beginnen Sie ihn von vorn.",
  "Some parts have not arrived. Read the upload, send the parts that it lacks, then call this again.":
    "Einige Teile sind nicht angekommen. Lesen Sie den Upload, senden Sie die fehlenden Teile, und rufen Sie dies dann erneut auf.",
  "The text of a file of more than 100 MiB is not read. Search finds it by its name and tags.":
    "Der Text einer Datei von mehr als 100 MiB wird nicht gelesen. Die Suche findet sie über ihren Namen und ihre Schlagwörter.",
  "A file of more than 100 MiB is sent in parts. Start the upload at `documents/uploads`.":
    "Eine Datei von mehr als 100 MiB wird in Teilen gesendet. Beginnen Sie den Upload unter `documents/uploads`.",
  "A document may have at most 2 GiB. Split it into several documents.":
    "Ein Dokument darf höchstens 2 GiB haben. Teilen Sie es in mehrere Dokumente auf.",
  "it takes too long to draw. Draw fewer large, transparent or overlapping shapes and fewer or shorter lines, or upload a PNG":
    "das Zeichnen dauert zu lange. Zeichnen Sie weniger große, durchsichtige oder überlappende Formen und weniger oder kürzere Linien, oder laden Sie ein PNG hoch",
  "its elements are nested too deep": "ihre Elemente sind zu tief verschachtelt",
  "its references are nested too deep": "ihre Verweise sind zu tief verschachtelt",
  "a picture in it is not PNG, JPEG or WebP. Put its shapes into the SVG itself":
    "ein Bild darin ist weder PNG noch JPEG noch WebP. Setzen Sie seine Formen in die SVG-Datei selbst",
  "it has too many transparent, masked or clipped parts, or gradients":
    "sie hat zu viele durchsichtige, maskierte oder beschnittene Teile oder Farbverläufe",
};

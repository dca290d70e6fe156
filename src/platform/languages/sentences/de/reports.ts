/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "The first heading of the report has level {0}. Begin with a heading of level 1.":
    "Die erste Überschrift des Berichts hat die Ebene {0}. Beginnen Sie mit einer Überschrift der Ebene 1.",
  "A heading of level {0} comes after one of level {1}. Do not skip a level.":
    "Eine Überschrift der Ebene {0} folgt auf eine der Ebene {1}. Überspringen Sie keine Ebene.",
  "The table has parts that are no rows and no cells. Correct its HTML.":
    "Die Tabelle hat Teile, die weder Zeilen noch Zellen sind. Korrigieren Sie ihr HTML.",
  "The table has no header cells. Write its headings as <th>.":
    "Die Tabelle hat keine Kopfzellen. Schreiben Sie ihre Überschriften als <th>.",
  "The rows of the table do not have the same number of columns. Complete them.":
    "Die Zeilen der Tabelle haben nicht gleich viele Spalten. Ergänzen Sie sie.",
  "A header cell of the table has no scope. Write <th scope=col> or <th scope=row>.":
    "Eine Kopfzelle der Tabelle hat keinen Geltungsbereich. Schreiben Sie <th scope=col> oder <th scope=row>.",
  'A picture on page {0} has no alternative text. Write what it shows into alt, or alt="" for decoration.':
    'Ein Bild auf Seite {0} hat keinen Alternativtext. Schreiben Sie in alt, was es zeigt, oder alt="" für Schmuck.',
  "A formula on page {0} has no alternative text. Write it into aria-label.":
    "Eine Formel auf Seite {0} hat keinen Alternativtext. Schreiben Sie ihn in aria-label.",
  "A cell on page {0} is outside of a table. Correct its HTML.":
    "Eine Zelle auf Seite {0} steht außerhalb einer Tabelle. Korrigieren Sie ihr HTML.",
  "Words on page {0} are hidden from screen readers. Remove aria-hidden.":
    "Wörter auf Seite {0} sind für Screenreader verborgen. Entfernen Sie aria-hidden.",
  "A link on page {0} is hidden from screen readers. Remove aria-hidden.":
    "Ein Link auf Seite {0} ist für Screenreader verborgen. Entfernen Sie aria-hidden.",
  "No font has some characters of the report, and an empty box is printed for each. Write them differently.":
    "Keine Schrift hat einige Zeichen des Berichts, und für jedes wird ein leeres Kästchen gedruckt. Schreiben Sie sie anders.",
  "A font of the report does not tell which characters it draws. Use another font.":
    "Eine Schrift des Berichts sagt nicht, welche Zeichen sie zeichnet. Verwenden Sie eine andere.",
  "A font of the report may not be put into a PDF. Use another font.":
    "Eine Schrift des Berichts darf nicht in eine PDF-Datei. Verwenden Sie eine andere.",
  "The styles of the report are nested too deeply for an archive. Simplify them.":
    "Die Stile des Berichts sind für ein Archiv zu tief verschachtelt. Vereinfachen Sie sie.",
  "The PDF has a text that is too long for an archive. Shorten the alternative texts and addresses.":
    "Die PDF-Datei hat einen Text, der für ein Archiv zu lang ist. Kürzen Sie die Alternativtexte und Adressen.",
  "The PDF has a picture with the colours of a printing press (CMYK). Save it with RGB colours.":
    "Die PDF-Datei hat ein Bild mit Druckfarben (CMYK). Speichern Sie es mit RGB-Farben.",
  "The PDF has a name that is too long for an archive.":
    "Die PDF-Datei hat einen Namen, der für ein Archiv zu lang ist.",
  "The PDF has a part that an archive does not allow.": "Die PDF-Datei hat einen Teil, den ein Archiv nicht erlaubt.",
  "The PDF has a picture with a colour profile that an archive does not allow. Save it with sRGB colours.":
    "Die PDF-Datei hat ein Bild mit einem Farbprofil, das ein Archiv nicht erlaubt. Speichern Sie es mit sRGB-Farben.",
  "The report is too long or too unusual to be prepared for screen readers and archives. Simplify its styles, or split it.":
    "Der Bericht ist zu lang oder zu ungewöhnlich, um für Screenreader und Archive vorbereitet zu werden. Vereinfachen Sie seine Stile, oder teilen Sie ihn.",
  "The PDF does not have the data of the report in it, because its form is too unusual. Simplify its styles, or split the report.":
    "Die PDF-Datei enthält die Daten des Berichts nicht, weil ihre Form zu ungewöhnlich ist. Vereinfachen Sie die Stile, oder teilen Sie den Bericht.",
  "This link has no number, because its target is no figure or table with a caption. Correct the link.":
    "Dieser Link hat keine Nummer, weil sein Ziel keine Abbildung oder Tabelle mit Beschriftung ist. Korrigieren Sie den Link.",
  '"{0}" is neither a path, such as report.title, nor a helper, such as image "photo"':
    '„{0}“ ist weder ein Pfad, etwa report.title, noch ein Helfer, etwa image "photo"',
  "A picture cannot be used here. Remove it.": "Ein Bild ist hier nicht verwendbar. Entfernen Sie es.",
  "Another template has this key now. Change its key or delete it, then restore this template.":
    "Eine andere Vorlage hat jetzt diesen Schlüssel. Ändern Sie deren Schlüssel oder löschen Sie sie, und stellen Sie dann diese Vorlage wieder her.",
  "Another person changed this template. Read it again, and send the revision that you started from as baseRevision or If-Match.":
    "Eine andere Person hat diese Vorlage geändert. Lesen Sie sie neu, und senden Sie die Revision, von der Sie ausgegangen sind, als baseRevision oder If-Match.",
  "A template with this key exists already. Choose another key or change that template.":
    "Es gibt bereits eine Vorlage mit diesem Schlüssel. Wählen Sie einen anderen, oder ändern Sie jene Vorlage.",
  "It is being prepared for pages.": "Es wird für Seiten vorbereitet.",
  "Its file no longer exists.": "Die Datei existiert nicht mehr.",
  "No browser was free for printing. Try again later.":
    "Kein Browser war zum Drucken frei. Versuchen Sie es später erneut.",
  "No font of the machine that prints has {0}. Write them differently, or add a data: font that has them.":
    "Keine Schrift des druckenden Rechners hat {0}. Schreiben Sie sie anders, oder fügen Sie eine data:-Schrift hinzu, die sie hat.",
  "Others changed the same fields. Read the report again and repeat your change.":
    "Andere haben dieselben Felder geändert. Lesen Sie den Bericht erneut, und wiederholen Sie Ihre Änderung.",
  "Parsers can read the page's HTML in different ways, so it is uncertain what the page would load. Close every tag, and put no title, style or textarea into select, table or svg.":
    "Programme können das HTML der Seite verschieden lesen, darum ist ungewiss, was die Seite laden würde. Schließen Sie jedes Tag, und setzen Sie title, style und textarea nicht in select, table oder svg.",
  "People are editing this report now. Send the revision that you started from as baseRevision or If-Match: the service merges your changes with theirs.":
    "Personen bearbeiten diesen Bericht gerade. Senden Sie die Revision, von der Sie ausgingen, als baseRevision oder If-Match: Der Dienst führt Ihre Änderungen mit denen der anderen zusammen.",
  "Send a `fromUtc` that is before `toUtc`.": "Senden Sie ein `fromUtc`, das vor `toUtc` liegt.",
  "Several organizations have a template with this key: {0}. Select one with organizationId.":
    "Mehrere Organisationen haben eine Vorlage mit diesem Schlüssel: {0}. Wählen Sie mit organizationId eine aus.",
  "The PDF has": "Die PDF-Datei hat",
  "The PDF is being printed or is done: only a queued job can be cancelled.":
    "Die PDF-Datei wird gedruckt oder ist fertig: Nur ein wartender Auftrag lässt sich abbrechen.",
  "The browser crashed: the page takes too much memory. Use fewer or smaller pictures and simpler styles.":
    "Der Browser ist abgestürzt: Die Seite braucht zu viel Speicher. Verwenden Sie weniger oder kleinere Bilder und einfachere Stile.",
  "The browser ended while it printed. Try again.": "Der Browser endete beim Drucken. Versuchen Sie es erneut.",
  "The document is not a JPEG, PNG or WebP picture.": "Das Dokument ist kein JPEG-, PNG- oder WebP-Bild.",
  "The draft and the template together are too large. Split the report.":
    "Der Entwurf und die Vorlage sind zusammen zu groß. Teilen Sie den Bericht auf.",
  "The draft is too large after merging the changes of others. Shorten it.":
    "Der Entwurf ist nach dem Zusammenführen mit den Änderungen anderer zu groß. Kürzen Sie ihn.",
  'The draft\'s "language" is not a language tag. Write one such as "de" or "pt-BR", or leave the field out.':
    'Das Feld "language" des Entwurfs ist kein Sprachkürzel. Schreiben Sie eines wie "de" oder "pt-BR", oder lassen Sie das Feld weg.',
  "The file of the picture is damaged. Upload it again.": "Die Bilddatei ist beschädigt. Laden Sie sie erneut hoch.",
  "The page with its pictures has": "Die Seite mit ihren Bildern hat",
  "The picture is taller than the page and is printed at {0} % of its size. Make it smaller.":
    "Das Bild ist höher als die Seite und wird mit {0} % seiner Größe gedruckt. Verkleinern Sie es.",
  "The picture is wider than the paper and is printed at {0} % of its size. Make it smaller.":
    "Das Bild ist breiter als das Papier und wird mit {0} % seiner Größe gedruckt. Verkleinern Sie es.",
  "The report could not be laid out within {0} s. Simplify its styles and tables, or split it.":
    "Der Bericht ließ sich nicht innerhalb von {0} s setzen. Vereinfachen Sie seine Stile und Tabellen, oder teilen Sie ihn auf.",
  "The report names more frames than one page can show. Show fewer.":
    "Der Bericht nennt mehr Bilder, als eine Seite zeigen kann. Zeigen Sie weniger.",
  "The report was deleted, or its job cancelled, in the meantime.":
    "Der Bericht wurde inzwischen gelöscht oder sein Auftrag abgebrochen.",
  "The report's text has too much nesting or markup, or too many paragraphs. Split long paragraphs and deep lists, and shorten long lists.":
    "Der Text des Berichts hat zu viel Verschachtelung oder Auszeichnung oder zu viele Absätze. Teilen Sie lange Absätze und tiefe Listen auf, und kürzen Sie lange Listen.",
  "The same PDF was requested at the same time. Send the request again.":
    "Dieselbe PDF-Datei wurde gleichzeitig angefordert. Senden Sie die Anfrage erneut.",
  "The scaled pictures of one report can have at most {0} MiB together. Show fewer.":
    "Die verkleinerten Bilder eines Berichts dürfen zusammen höchstens {0} MiB haben. Zeigen Sie weniger.",
  "The table is printed at {0} % of its size. Use fewer columns or split it.":
    "Die Tabelle wird mit {0} % ihrer Größe gedruckt. Verwenden Sie weniger Spalten, oder teilen Sie sie auf.",
  "The user who requested the PDF may no longer write reports and documents here.":
    "Die Person, die die PDF-Datei angefordert hat, darf hier keine Berichte und Dokumente mehr schreiben.",
  "There is no such document or frame in this location, or you may not read it.":
    "An diesem Standort gibt es kein solches Dokument oder Bild, oder Sie dürfen es nicht lesen.",
  "There is no such template for this location. Use your own template or one of the location's organization.":
    "Für diesen Standort gibt es keine solche Vorlage. Verwenden Sie Ihre eigene oder eine der Organisation des Standorts.",
  "This cursor belongs to another search. Send it with the same term and scope.":
    "Dieser Cursor gehört zu einer anderen Suche. Senden Sie ihn mit demselben Suchwort und Umfang.",
  "This element is taller than the page, and the end of a page may cut through it. Make it lower, or divide it.":
    "Dieses Element ist höher als die Seite, und ein Seitenende kann es durchschneiden. Machen Sie es niedriger, oder teilen Sie es auf.",
  "This element is wider than the paper, and a part of it may be cut. Make it narrower.":
    "Dieses Element ist breiter als das Papier, und ein Teil davon kann abgeschnitten werden. Machen Sie es schmaler.",
  "This word is wider than the paper, and its end may be cut. Divide it, or let it break with overflow-wrap.":
    "Dieses Wort ist breiter als das Papier, und sein Ende kann abgeschnitten werden. Trennen Sie es, oder erlauben Sie mit overflow-wrap einen Umbruch.",
  "a stylesheet cannot contain picture helpers": "ein Stylesheet kann keine Helfer für Bilder enthalten",
  "must be names separated by dots, such as body, Site notes or sections.0.text":
    "muss aus Namen mit Punkten dazwischen bestehen, etwa body, Site notes oder sections.0.text",
  "must be the path of a text in contentTemplateJson": "muss der Pfad eines Textes in contentTemplateJson sein",
  "must have 1 to 64 lower-case letters, digits, dots, hyphens and underscores":
    "muss 1 bis 64 Kleinbuchstaben, Ziffern, Punkte, Bindestriche und Unterstriche haben",
  "other delimiters than double braces are not supported":
    "andere Begrenzer als doppelte geschweifte Klammern werden nicht unterstützt",
  "sections can have at most {0} levels": "Abschnitte dürfen höchstens {0} Ebenen haben",
  "send either templateId or templateKey": "senden Sie entweder templateId oder templateKey",
  "the helper image takes only one path": "der Helfer image nimmt nur einen Pfad",
  "the page exceeds {0} characters here": "die Seite überschreitet hier {0} Zeichen",
  "the page has more than {0} pictures here": "die Seite hat hier mehr als {0} Bilder",
  "the sections repeat too often here: shorten their lists":
    "die Abschnitte wiederholen sich hier zu oft: Kürzen Sie ihre Listen",
  "the tag is not closed by {0} within {1} characters":
    "das Tag wird nicht innerhalb von {1} Zeichen durch {0} geschlossen",
  "was changed by others since your base revision": "wurde seit Ihrer Ausgangsrevision von anderen geändert",
  "{0} PDFs are already waiting. Try again when some are done.":
    "{0} PDF-Dateien warten bereits. Versuchen Sie es erneut, wenn einige fertig sind.",
  "{0} more than {1} MiB. Use fewer or smaller pictures, or split the report.":
    "[0] mehr als {1} MiB. Verwenden Sie weniger oder kleinere Bilder, oder teilen Sie den Bericht auf.",
  "{0}, line {1}, column {2}: {3}": "{0}, Zeile {1}, Spalte {2}: [3]",
  "unclosed tag": "das Tag ist nicht geschlossen",
  'unclosed section "{0}"': "der Abschnitt „{0}“ ist nicht geschlossen",
  'unopened section "{0}"': "der Abschnitt „{0}“ ist nicht geöffnet",
  "The browser that prints does not know this part of CSS for paged media, and leaves out the declaration with it.":
    "Der Browser, der druckt, kennt diesen Teil von CSS für Druckseiten nicht und lässt die Angabe mit ihm weg.",
  "The page of this link has no number, because the report does not show its target. Correct the link.":
    "Die Seite dieses Links hat keine Nummer, weil der Bericht sein Ziel nicht zeigt. Korrigieren Sie den Link.",
  "The number of this link is not the page of its target, because each number moves other parts of the report. Give the numbers a fixed width.":
    "Die Nummer dieses Links ist nicht die Seite seines Ziels, weil jede Nummer andere Teile des Berichts verschiebt. Geben Sie den Nummern eine feste Breite.",
  '"{0}" is not a path, such as report.title': "„{0}“ ist kein Pfad wie report.title",
  "the helper {0} has no option {1}: use {2}": "der Helfer {0} hat keine Option {1}: Verwenden Sie {2}",
  "use only one of currency, unit and style": "verwenden Sie nur eines von currency, unit und style",
  "digits is a number, such as 2, or two, such as 0-2, up to {0}":
    "digits ist eine Zahl wie 2, oder zwei wie 0-2, bis {0}",
  "currency is a code of three letters, such as EUR": "currency ist ein Code aus drei Buchstaben wie EUR",
  "unit is a name, such as meter, celsius or kilometer-per-hour. Write other units after the tag":
    "unit ist ein Name wie meter, celsius oder kilometer-per-hour. Schreiben Sie andere Einheiten hinter das Tag",
  "the style of a number is percent": "der style einer Zahl ist percent",
  "grouping can only be off": "grouping kann nur off sein",
  "style is one of {0}": "style ist eines von {0}",
  "time is one of {0}": "time ist eines von {0}",
  "zone is the name of a time zone, such as Europe/Berlin": "zone ist der Name einer Zeitzone wie Europe/Berlin",
  "This value is not a number, so the page shows it as it is. Correct the value or the template.":
    "Dieser Wert ist keine Zahl, deshalb zeigt ihn die Seite, wie er ist. Korrigieren Sie den Wert oder die Vorlage.",
  "This value is not a day, such as 2026-11-19, or a time, so the page shows it as it is. Correct the value or the template.":
    "Dieser Wert ist kein Tag wie 2026-11-19 und keine Zeit, deshalb zeigt ihn die Seite, wie er ist. Korrigieren Sie den Wert oder die Vorlage.",
  "This section cannot have paper of its own, because it is in a grid, a row of boxes, columns, a table or a floating box. Move it out of it.":
    "Dieser Abschnitt kann kein eigenes Papier haben, weil er in einem Raster, einer Reihe von Kästen, Spalten, einer Tabelle oder einem schwebenden Kasten steht. Nehmen Sie ihn dort heraus.",
  '"{0}" is not the name of a partial, such as letterhead': "„{0}“ ist nicht der Name eines Teils wie letterhead",
  "The organization of the template has no partial of this name, so the page shows nothing in its place.":
    "Die Organisation der Vorlage hat keinen gemeinsamen Teil mit diesem Namen, deshalb zeigt die Seite an seiner Stelle nichts.",
  "This partial is within itself or within too many other partials, so the page shows nothing in its place.":
    "Dieser Teil steht in sich selbst oder in zu vielen anderen Teilen, deshalb zeigt die Seite an seiner Stelle nichts.",
  "The partial would be within itself. Take it out of the partials in it.":
    "Der Teil stünde in sich selbst. Nehmen Sie ihn aus den Teilen heraus, die in ihm stehen.",
  "Another person changed this partial. Read it again, and send the revision that you started from as baseRevision or If-Match.":
    "Eine andere Person hat diesen Teil geändert. Lesen Sie ihn erneut, und senden Sie die Revision, von der Sie ausgegangen sind, als baseRevision oder If-Match.",
  "These use the partial: {0}. Take it out of them first.":
    "Diese verwenden den Teil: {0}. Nehmen Sie ihn zuerst aus ihnen heraus.",
  "must have 1 to 64 lower-case letters, digits, hyphens and underscores":
    "muss 1 bis 64 Kleinbuchstaben, Ziffern, Bindestriche und Unterstriche haben",
};

/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "You may not add documents to the location of this document.":
    "Vous ne pouvez pas ajouter de documents au site de ce document.",
  "The document was deleted.": "Le document a été supprimé.",
  "Another job takes the files out.": "Une autre tâche extrait les fichiers.",
  "There are no files inside.": "Il n’y a pas de fichiers joints.",
  "Only the first {0} files were taken out.": "Seuls les {0} premiers fichiers ont été extraits.",
  "Some files are stored in a way that the service does not read. They were left out.":
    "Certains fichiers sont enregistrés d’une façon que le service ne lit pas. Ils ont été laissés de côté.",
  "The person who asked for this may not add documents here any more.":
    "La personne qui l’a demandé ne peut plus ajouter de documents ici.",
  "The storage is full. Delete documents or ask for more, and try again.":
    "L’espace de stockage est plein. Supprimez des documents ou demandez davantage d’espace, puis réessayez.",
  "Files are taken out of documents of up to 16 MiB.": "Les fichiers sont extraits de documents de 16 Mio au plus.",
  "The mail has more parts than the service reads.": "L’e-mail a plus de parties que le service n’en lit.",
  "The PDF is encrypted. Save it without a password to take its files out.":
    "Le PDF est chiffré. Enregistrez-le sans mot de passe pour en extraire les fichiers.",
  "The PDF has more objects than the service reads.": "Le PDF a plus d’objets que le service n’en lit.",
  "The location has an address already. Change or replace it.":
    "Le site a déjà une adresse. Modifiez-la ou remplacez-la.",
  "The other location": "L’autre site",
  "The location was deleted.": "Le site a été supprimé.",
  "The person who asked for this may not change documents here any more.":
    "La personne qui l’a demandé ne peut plus modifier les documents ici.",
  "The service could not go on. Try again.": "Le service n’a pas pu continuer. Réessayez.",
  "A folder with this path exists. Choose another name.":
    "Un dossier avec ce chemin existe déjà. Choisissez un autre nom.",
  "A folder cannot move to its own place or into itself. Choose another place.":
    "Un dossier ne peut pas être déplacé à sa propre place ni dans lui-même. Choisissez un autre endroit.",
  "Another change of the folders of this location runs. Wait until it has ended.":
    "Une autre modification des dossiers de ce site est en cours. Attendez qu’elle soit terminée.",
  "The documents of the folder were changed in the meantime. Try again.":
    "Les documents du dossier ont été modifiés entre-temps. Réessayez.",
  "A document of this folder would have a path and file name of more than {0} bytes. Choose a shorter path.":
    "Un document de ce dossier aurait un chemin et un nom de fichier de plus de {0} octets. Choisissez un chemin plus court.",
  "The location has no folder with this path. Read its folders again.":
    "Le site n’a pas de dossier avec ce chemin. Relisez ses dossiers.",
  "This service receives no mail. Ask its operator to set it up.":
    "Ce service ne reçoit pas d’e-mails. Demandez à l’exploitant de mettre cela en place.",
  "must be an e-mail address or a domain": "doit être une adresse e-mail ou un domaine",
  "name a folder": "nommez un dossier",
  "too long together with the names below it": "trop long avec les noms qu’il contient",
  "1 page": "1 page",
  "Documents and folders move only between locations of the same workspace.":
    "Les documents et les dossiers ne se déplacent qu’entre des sites du même espace de travail.",
  "A document with this path and name exists. Choose another name.":
    "Un document avec ce chemin et ce nom existe. Choisissez un autre nom.",
  "A logo or banner is a PNG, JPEG, WebP or SVG picture: {0}.":
    "Un logo ou une bannière est une image PNG, JPEG, WebP ou SVG : [0].",
  "A logo or banner may have 5 MiB at most. Send a smaller picture.":
    "Un logo ou une bannière a au plus 5 Mio. Envoyez une image plus petite.",
  "A page of the PDF contains too much text or drawing.": "Une page du PDF contient trop de texte ou de dessin.",
  "A part of the file cannot be unpacked.": "Une partie du fichier ne peut pas être décompressée.",
  "A part of the file contains a single run of text of more than 4 MiB.":
    "Une partie du fichier contient un seul texte de plus de 4 Mio.",
  "A part of the file has a document type declaration, which office programs do not write.":
    "Une partie du fichier a une déclaration de type de document, que les programmes de bureautique n’écrivent pas.",
  "A part of the file is not well-formed.": "Une partie du fichier n’est pas bien formée.",
  "A part that describes the file is too large.": "Une partie qui décrit le fichier est trop grande.",
  "A slide of the file is missing.": "Une diapositive du fichier manque.",
  "A tag with this name exists already. Choose another name, or use that tag.":
    "Une étiquette de ce nom existe déjà. Choisissez un autre nom, ou utilisez cette étiquette.",
  "An export has at most {0} documents, versions and images. Request a shorter range of images.":
    "Une exportation a au plus {0} documents, versions et images. Demandez une période d’images plus courte.",
  "An export of this workspace is being prepared. Wait for it, or cancel it.":
    "Une exportation de cet espace de travail est en préparation. Attendez-la, ou annulez-la.",
  "Another document or upload has this path and name now. Rename or delete it, then restore this document.":
    "Un autre document ou envoi a maintenant ce chemin et ce nom. Renommez-le ou supprimez-le, puis restaurez ce document.",
  "Files of the preparation were removed. Start a new export.":
    "Des fichiers de la préparation ont été supprimés. Lancez une nouvelle exportation.",
  "No file has arrived. PUT it to `uploadUrl`, then call this again.":
    "Aucun fichier n’est arrivé. Envoyez-le par PUT à `uploadUrl`, puis répétez cet appel.",
  "No text could be read in the pictures of {0}.": "Aucun texte n’a pu être lu dans les images de [0].",
  "No text could be read in the pictures: they have none, or it is too faint, too small or written by hand.":
    "Aucun texte n’a pu être lu dans les images : elles n’en ont pas, ou il est trop pâle, trop petit ou écrit à la main.",
  "Only an owner may export an organization.": "Seul un propriétaire peut exporter une organisation.",
  "Page {0} of the PDF cannot be read.": "La page {0} du PDF ne peut pas être lue.",
  "Pages are pictures, and the organization has used up its jobs of this month. The other pages are read next month.":
    "Des pages sont des images, et l’organisation a épuisé ses tâches de ce mois. Les autres pages seront lues le mois prochain.",
  "Pages are pictures. The recognition of text in pictures is switched off for this organization.":
    "Des pages sont des images. La reconnaissance de texte dans les images est désactivée pour cette organisation.",
  "Pages are pictures. The recognition of text in pictures is switched off on this service.":
    "Des pages sont des images. La reconnaissance de texte dans les images est désactivée sur ce service.",
  "Pages of the PDF cannot be read.": "Des pages du PDF ne peuvent pas être lues.",
  "Path and file name together must have at most {0} bytes. Shorten one of them.":
    "Le chemin et le nom du fichier ont ensemble au plus {0} octets. Raccourcissez l’un des deux.",
  "Search finds only the first {0} pages of the PDF.": "La recherche ne trouve que les {0} premières pages du PDF.",
  "Search finds the text of the document. {0} without text are read as pictures.":
    "La recherche trouve le texte du document. Lecture comme images de [0] sans texte.",
  "Text was recognized on {0} of {1}.": "Du texte a été reconnu sur {0} de [1].",
  "The PDF holds more than {0} streams.": "Le PDF contient plus de {0} flux.",
  "The PDF is damaged.": "Le PDF est endommagé.",
  "The PDF is larger than 16 MiB. This service reads such a PDF only while text recognition is on. Split it into smaller files and upload them.":
    "Le PDF dépasse 16 Mio. Ce service ne lit un tel PDF que si la reconnaissance de texte est activée. Divisez-le en fichiers plus petits et envoyez-les.",
  "The PDF opens only with a password.": "Le PDF ne s’ouvre qu’avec un mot de passe.",
  "The PDF unpacks to more data than the service reads. Print it to a new PDF and upload that.":
    "Le PDF se décompresse en plus de données que le service n’en lit. Imprimez-le dans un nouveau PDF et envoyez celui-ci.",
  "The SHA-256 of the received file differs from the announced one. Start the upload again and send the file unchanged.":
    "Le SHA-256 du fichier reçu diffère de celui annoncé. Recommencez l’envoi avec le fichier inchangé.",
  "The browser ended while it read the pages. Try again.":
    "Le navigateur s’est arrêté pendant la lecture des pages. Réessayez.",
  "The document has too much text. Search finds only the first {0} Mi characters.":
    "Le document a trop de texte. La recherche ne trouve que les {0} premiers Mi de caractères.",
  "The document is in the trash. Restore it first.": "Le document est dans la corbeille. Restaurez-le d’abord.",
  "The document or its location was deleted in the meantime.": "Le document ou son site a été supprimé entre-temps.",
  "The document or its organization was changed in the meantime.":
    "Le document ou son organisation a été modifié entre-temps.",
  "The document was changed in the meantime. Try again.": "Le document a été modifié entre-temps. Réessayez.",
  "The document was deleted in the meantime.": "Le document a été supprimé entre-temps.",
  "The elements in a part of the file are nested too deep.":
    "Les éléments d’une partie du fichier sont trop imbriqués.",
  "The elements of the page are nested too deep.": "Les éléments de la page sont trop imbriqués.",
  "The export has expired, was cancelled, or a file of it was deleted. Start a new one.":
    "L’exportation a expiré, a été annulée, ou un de ses fichiers a été supprimé. Lancez-en une nouvelle.",
  "The file cannot be read.": "Le fichier ne peut pas être lu.",
  "The file cannot be read. Open it in the program that made it and save it again.":
    "Le fichier ne peut pas être lu. Ouvrez-le dans le programme qui l’a créé et enregistrez-le de nouveau.",
  "The file contains more than {0} parts.": "Le fichier contient plus de {0} parties.",
  "The file contains no text.": "Le fichier ne contient pas de texte.",
  "The file differs from the announced one. Start the upload again.":
    "Le fichier diffère de celui annoncé. Recommencez l’envoi.",
  "The file does not declare its character set, and its bytes do not show it. Save it as UTF-8 and upload it again.":
    "Le fichier n’indique pas son jeu de caractères, et ses octets ne le montrent pas. Enregistrez-le en UTF-8 et envoyez-le de nouveau.",
  "The file ends before its text.": "Le fichier se termine avant son texte.",
  "The file has no text part.": "Le fichier n’a pas de partie de texte.",
  "The file has no workbook.": "Le fichier n’a pas de classeur.",
  "The file holds more than {0} parts.": "Le fichier contient plus de {0} parties.",
  "The file holds more than {0} sheets.": "Le fichier contient plus de {0} feuilles.",
  "The file holds more than {0} slides.": "Le fichier contient plus de {0} diapositives.",
  "The file is not a complete archive.": "Le fichier n’est pas une archive complète.",
  "The file is protected against copying.": "Le fichier est protégé contre la copie.",
  "The file is protected with a password.": "Le fichier est protégé par un mot de passe.",
  "The file is still being verified. Call this again to get the result.":
    "Le fichier est encore en cours de vérification. Répétez cet appel pour obtenir le résultat.",
  "The file unpacks to more than 128 MiB, which is the maximum.":
    "Le fichier se décompresse en plus de 128 Mio, ce qui est le maximum.",
  "The file unpacks to more than 200 times its size, which is the maximum.":
    "Le fichier se décompresse en plus de 200 fois sa taille, ce qui est le maximum.",
  "The file uses an unsupported compression method.":
    "Le fichier utilise une méthode de compression non prise en charge.",
  "The groups of the file are nested too deep.": "Les groupes du fichier sont trop imbriqués.",
  "The header of the picture cannot be read.": "L’en-tête de l’image ne peut pas être lu.",
  "The mail cannot be read.": "L’e-mail ne peut pas être lu.",
  "The mail {0}. Search finds its text, but not the text of all attachments.":
    "L’e-mail [0]. La recherche trouve son texte, mais pas celui de toutes les pièces jointes.",
  "The organization was deleted in the meantime.": "L’organisation a été supprimée entre-temps.",
  "The organization was deleted.": "L’organisation a été supprimée.",
  "The page contains a single tag of more than 16 MiB.": "La page contient une seule balise de plus de 16 Mio.",
  "The parts of the file are too scattered. Save it under another name and upload that.":
    "Les parties du fichier sont trop dispersées. Enregistrez-le sous un autre nom et envoyez ce fichier.",
  "The pages could not be read. {0}": "Les pages n’ont pas pu être lues. [0]",
  "The picture has {0} × {1} pixels. An edge may have up to {2} pixels.":
    "L’image a {0} × {1} pixels. Un côté peut avoir jusqu’à {2} pixels.",
  "The picture is stored in a form that the service does not read. Save it as a JPEG or PDF.":
    "L’image est enregistrée sous une forme que le service ne lit pas. Enregistrez-la en JPEG ou en PDF.",
  "Previews of HEIC and TIFF files are made up to {0} MiB.":
    "Les aperçus de fichiers HEIC et TIFF sont faits jusqu’à {0} Mio.",
  "The recognition of text and the previews of such files are switched off on this service.":
    "La reconnaissance de texte et les aperçus de ces fichiers sont désactivés sur ce service.",
  "{0} The file itself is kept unchanged.": "[0] Le fichier lui-même est conservé sans changement.",
  "The picture has {0} × {1} pixels. Text is recognized in pictures of up to {2} megapixels.":
    "L’image a {0} × {1} pixels. Le texte est reconnu dans les images jusqu’à {2} mégapixels.",
  "The preparation took too long.": "La préparation a pris trop de temps.",
  "The preparation took too long. Request fewer images.":
    "La préparation a pris trop de temps. Demandez moins d’images.",
  "The service cannot extract text from Office formats before 2007. Save the file in a current format and upload it again.":
    "Le service ne peut pas extraire le texte des formats Office d’avant 2007. Enregistrez le fichier dans un format actuel et envoyez-le de nouveau.",
  "The service cannot extract text from Word formats before 97. Save the file in a current format and upload it again.":
    "Le service ne peut pas extraire le texte des formats Word d’avant 97. Enregistrez le fichier dans un format actuel et envoyez-le de nouveau.",
  "The service cannot extract text from files of this kind. Search finds only the file's name.":
    "Le service ne peut pas extraire le texte de ce type de fichier. La recherche ne trouve que le nom du fichier.",
  "The service is preparing the picture. Try again in a few seconds.":
    "Le service prépare l’image. Réessayez dans quelques secondes.",
  "The shared strings of the workbook are larger than 24 MiB.": "Les chaînes partagées du classeur dépassent 24 Mio.",
  "The storage is full, including the bytes that open uploads reserve. Delete documents or ask the operator for more, then try again.":
    "Le stockage est plein, y compris les octets que réservent les envois en cours. Supprimez des documents ou demandez-en plus à l’exploitant, puis réessayez.",
  "The text could not be extracted. {0}": "Le texte n’a pas pu être extrait. [0]",
  "The upload has ended in the meantime.": "L’envoi s’est terminé entre-temps.",
  "The upload has ended in the meantime. Start it again.": "L’envoi s’est terminé entre-temps. Recommencez-le.",
  "The upload has expired or was cancelled. Start it again.": "L’envoi a expiré ou a été annulé. Recommencez-le.",
  "The upload has expired. Start it again.": "L’envoi a expiré. Recommencez-le.",
  "The upload has its result already, so it cannot be cancelled.":
    "L’envoi a déjà son résultat, il ne peut donc pas être annulé.",
  "The upload is being completed by another request.": "Une autre requête est en train de terminer l’envoi.",
  "The workbook has more formats than Excel allows.": "Le classeur a plus de formats qu’Excel n’en permet.",
  "The written files have expired. Try again.": "Les fichiers écrits ont expiré. Réessayez.",
  "There is no preview of this file.": "Il n’y a pas d’aperçu de ce fichier.",
  "The first page cannot be drawn.": "La première page ne peut pas être dessinée.",
  "This SVG contains text. Reports draw it with the fonts of the machine that prints, and the previews leave it out. Convert the text to outlines and upload the file again.":
    "Ce SVG contient du texte. Les rapports le dessinent avec les polices de la machine qui imprime, et les aperçus l’omettent. Convertissez le texte en tracés, puis envoyez de nouveau le fichier.",
  "This document would have more than {0} tags. Take some of its tags away.":
    "Ce document aurait plus de {0} étiquettes. Retirez-en quelques-unes.",
  "This token is restricted. Use a token without restrictions, or sign in.":
    "Ce jeton est restreint. Utilisez un jeton sans restrictions, ou connectez-vous.",
  "This workspace": "Cet espace de travail",
  "You announced {0} bytes and sent {1}. Start the upload again with the right size.":
    "Vous avez annoncé {0} octets et envoyé {1}. Recommencez l’envoi avec la bonne taille.",
  "You or this token cannot read everything that the export has. Missing: {0}. Without images it needs no cameras.":
    "Vous ou ce jeton ne pouvez pas lire tout ce que contient l’exportation. Il manque : {0}. Sans images, elle n’a pas besoin des caméras.",
  "has too many lines or parts": "a trop de lignes ou de parties",
  "is larger than 16 MiB": "dépasse 16 Mio",
  "it cannot be drawn": "elle ne peut pas être dessinée",
  "it cannot be read": "la lecture est impossible",
  "it declares entities": "elle déclare des entités",
  "it has more than {0} elements": "elle a plus de {0} éléments",
  "it has {0} × {1} pixels, and the maximum is {2} pixels in all":
    "elle a {0} × {1} pixels, et le maximum est de {2} pixels en tout",
  "it is not well-formed XML": "elle n’est pas du XML bien formé",
  "it uses filters or foreign objects": "elle utilise des filtres ou des objets étrangers",
  "its data is damaged": "ses données sont endommagées",
  "its elements are nested more than {0} deep": "ses éléments sont imbriqués sur plus de {0} niveaux",
  "its header gives no size": "son en-tête n’indique pas de taille",
  "its paths are too long, or its references multiply too often or form a circle":
    "ses tracés sont trop longs, ou ses références se multiplient trop ou forment une boucle",
  "its root is not an svg element": "sa racine n’est pas un élément svg",
  "its stylesheet is too long": "sa feuille de style est trop longue",
  "may have at most {0} characters in each segment": "a au plus {0} caractères dans chaque segment",
  "may not have a segment of v and eight digits: it means a version":
    "ne peut pas avoir de segment formé de v et de huit chiffres : il désigne une version",
  "may not have a slash": "ne peut pas avoir de barre oblique",
  "may not have an empty segment, and may not begin or end with a slash":
    "ne peut pas avoir de segment vide, ni commencer ou finir par une barre oblique",
  "may not have the segments . and ..": "ne peut pas avoir les segments . et ..",
  "must be #rgb, #rrggbb or #rrggbbaa": "doit être #rgb, #rrggbb ou #rrggbbaa",
  "must be a media type, such as application/pdf": "doit être un type de média, tel que application/pdf",
  "must be a media type, such as image/png": "doit être un type de média, tel que image/png",
  "name each grant once": "nommez chaque partage une seule fois",
  "name each document once": "nommez chaque document une seule fois",
  "this file is another kind": "ce fichier est d’un autre format",
  "toUtc must not be before fromUtc": "toUtc ne peut pas être avant fromUtc",
  "too long together with fileName": "trop long avec fileName",
  "{0} Open it in the program that made it and save it again.":
    "[0] Ouvrez le fichier dans le programme qui l’a créé et enregistrez-le de nouveau.",
  "{0} Use linkType=file to get the file itself.": "[0] Avec linkType=file, vous obtenez le fichier lui-même.",
  "{0} behind them were not read.": "Non lues ensuite : [0].",
  "{0} pages": "{0} pages",
  "{0}: damaged. Open the file in the program that made it and save it again.":
    "[0] : données endommagées. Ouvrez le fichier dans le programme qui l’a créé et enregistrez-le de nouveau.",
  "{0}: reading did not end in time. Print the document to a new PDF and upload that.":
    "[0] : la lecture ne s’est pas terminée à temps. Imprimez le document dans un nouveau PDF et envoyez celui-ci.",
  "What the export is of was deleted.": "Ce que l’exportation devait contenir a été supprimé.",
  "This upload is not sent in parts.": "Cet envoi ne se fait pas par parties.",
  "The upload has {0} parts.": "L’envoi a {0} parties.",
  "must have numbers from 1 to {0}": "doit avoir des numéros de 1 à {0}",
  "The upload has ended. Start it again.": "L’envoi est terminé. Recommencez-le.",
  "Some parts have not arrived. Read the upload, send the parts that it lacks, then call this again.":
    "Des parties ne sont pas arrivées. Relisez l’envoi, envoyez les parties qui manquent, puis répétez cet appel.",
  "The text of a file of more than 100 MiB is not read. Search finds it by its name and tags.":
    "Le texte d’un fichier de plus de 100 Mio n’est pas lu. La recherche le trouve par son nom et ses étiquettes.",
  "A file of more than 100 MiB is sent in parts. Start the upload at `documents/uploads`.":
    "Un fichier de plus de 100 Mio s’envoie par parties. Commencez l’envoi à `documents/uploads`.",
  "A document may have at most 2 GiB. Split it into several documents.":
    "Un document a au plus 2 Gio. Divisez-le en plusieurs documents.",
  "it takes too long to draw. Draw fewer large, transparent or overlapping shapes and fewer or shorter lines, or upload a PNG":
    "son dessin dure trop longtemps. Dessinez moins de formes grandes, transparentes ou superposées et moins de lignes ou des lignes plus courtes, ou envoyez un PNG",
  "its elements are nested too deep": "ses éléments sont trop imbriqués",
  "its references are nested too deep": "ses références sont trop imbriquées",
  "a picture in it is not PNG, JPEG or WebP. Put its shapes into the SVG itself":
    "une image qu’elle contient n’est ni PNG, ni JPEG, ni WebP. Mettez ses formes dans le SVG même",
  "it has too many transparent, masked or clipped parts, or gradients":
    "elle a trop de parties transparentes, masquées ou découpées, ou de dégradés",
};

/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "The first heading of the report has level {0}. Begin with a heading of level 1.":
    "Le premier titre du rapport est de niveau {0}. Commencez par un titre de niveau 1.",
  "A heading of level {0} comes after one of level {1}. Do not skip a level.":
    "Un titre de niveau {0} suit un titre de niveau {1}. Ne sautez pas de niveau.",
  "The table has parts that are no rows and no cells. Correct its HTML.":
    "Le tableau a des parties qui ne sont ni des lignes ni des cellules. Corrigez son HTML.",
  "The table has no header cells. Write its headings as <th>.":
    "Le tableau n’a pas de cellules d’en-tête. Écrivez ses titres avec <th>.",
  "The rows of the table do not have the same number of columns. Complete them.":
    "Les lignes du tableau n’ont pas le même nombre de colonnes. Complétez-les.",
  "A header cell of the table has no scope. Write <th scope=col> or <th scope=row>.":
    "Une cellule d’en-tête du tableau n’a pas de portée. Écrivez <th scope=col> ou <th scope=row>.",
  'A picture on page {0} has no alternative text. Write what it shows into alt, or alt="" for decoration.':
    'Une image de la page {0} n’a pas de texte de remplacement. Écrivez dans alt ce qu’elle montre, ou alt="" pour une décoration.',
  "A formula on page {0} has no alternative text. Write it into aria-label.":
    "Une formule de la page {0} n’a pas de texte de remplacement. Écrivez-le dans aria-label.",
  "A cell on page {0} is outside of a table. Correct its HTML.":
    "Une cellule de la page {0} est hors d’un tableau. Corrigez son HTML.",
  "Words on page {0} are hidden from screen readers. Remove aria-hidden.":
    "Des mots de la page {0} sont cachés aux lecteurs d’écran. Retirez aria-hidden.",
  "A link on page {0} is hidden from screen readers. Remove aria-hidden.":
    "Un lien de la page {0} est caché aux lecteurs d’écran. Retirez aria-hidden.",
  "No font has some characters of the report, and an empty box is printed for each. Write them differently.":
    "Aucune police n’a certains caractères du rapport, et une case vide est imprimée pour chacun. Écrivez-les autrement.",
  "A font of the report does not tell which characters it draws. Use another font.":
    "Une police du rapport ne dit pas quels caractères elle dessine. Utilisez-en une autre.",
  "A font of the report may not be put into a PDF. Use another font.":
    "Une police du rapport ne peut pas être placée dans un PDF. Utilisez-en une autre.",
  "The styles of the report are nested too deeply for an archive. Simplify them.":
    "Les styles du rapport sont trop imbriqués pour un archivage. Simplifiez-les.",
  "The PDF has a text that is too long for an archive. Shorten the alternative texts and addresses.":
    "Le PDF a un texte trop long pour un archivage. Raccourcissez les textes de remplacement et les adresses.",
  "The PDF has a picture with the colours of a printing press (CMYK). Save it with RGB colours.":
    "Le PDF a une image aux couleurs d’imprimerie (CMJN). Enregistrez-la en couleurs RVB.",
  "The PDF has a name that is too long for an archive.": "Le PDF a un nom trop long pour un archivage.",
  "The PDF has a part that an archive does not allow.": "Le PDF a une partie qu’un archivage ne permet pas.",
  "The PDF has a picture with a colour profile that an archive does not allow. Save it with sRGB colours.":
    "Le PDF a une image avec un profil de couleurs qu’un archivage ne permet pas. Enregistrez-la en sRGB.",
  "The report is too long or too unusual to be prepared for screen readers and archives. Simplify its styles, or split it.":
    "Le rapport est trop long ou trop inhabituel pour être préparé pour les lecteurs d’écran et l’archivage. Simplifiez ses styles ou divisez-le.",
  "The PDF does not have the data of the report in it, because its form is too unusual. Simplify its styles, or split the report.":
    "Le PDF ne contient pas les données du rapport, car sa forme est trop inhabituelle. Simplifiez ses styles ou divisez le rapport.",
  "This link has no number, because its target is no figure or table with a caption. Correct the link.":
    "Ce lien n’a pas de numéro, car sa cible n’est ni une figure ni un tableau avec légende. Corrigez le lien.",
  '"{0}" is neither a path, such as report.title, nor a helper, such as image "photo"':
    '« {0} » n’est ni un chemin, tel que report.title, ni une fonction, telle que image "photo"',
  "A picture cannot be used here. Remove it.": "Une image ne peut pas être utilisée ici. Retirez-la.",
  "Another template has this key now. Change its key or delete it, then restore this template.":
    "Un autre modèle a maintenant cette clé. Changez sa clé ou supprimez-le, puis restaurez ce modèle.",
  "Another person changed this template. Read it again, and send the revision that you started from as baseRevision or If-Match.":
    "Une autre personne a modifié ce modèle. Relisez-le, puis envoyez la révision dont vous êtes parti comme baseRevision ou If-Match.",
  "A template with this key exists already. Choose another key or change that template.":
    "Un modèle avec cette clé existe déjà. Choisissez une autre clé ou modifiez ce modèle.",
  "It is being prepared for pages.": "Elle est en préparation pour les pages.",
  "Its file no longer exists.": "Son fichier n’existe plus.",
  "No browser was free for printing. Try again later.":
    "Aucun navigateur n’était libre pour imprimer. Réessayez plus tard.",
  "No font of the machine that prints has {0}. Write them differently, or add a data: font that has them.":
    "Aucune police de la machine qui imprime n’a {0}. Écrivez-les autrement, ou ajoutez une police data: qui les a.",
  "Others changed the same fields. Read the report again and repeat your change.":
    "D’autres ont modifié les mêmes champs. Relisez le rapport et refaites votre changement.",
  "Parsers can read the page's HTML in different ways, so it is uncertain what the page would load. Close every tag, and put no title, style or textarea into select, table or svg.":
    "Le HTML de la page peut être lu de plusieurs façons, et ce que la page chargerait est donc incertain. Fermez chaque balise, et ne mettez pas title, style ou textarea dans select, table ou svg.",
  "People are editing this report now. Send the revision that you started from as baseRevision or If-Match: the service merges your changes with theirs.":
    "Des personnes modifient ce rapport en ce moment. Envoyez la révision dont vous êtes parti dans baseRevision ou If-Match : le service fusionne vos changements avec les leurs.",
  "Send a `fromUtc` that is before `toUtc`.": "Envoyez un `fromUtc` antérieur à `toUtc`.",
  "Several organizations have a template with this key: {0}. Select one with organizationId.":
    "Plusieurs organisations ont un modèle avec cette clé : {0}. Choisissez-en une avec organizationId.",
  "The PDF has": "Le PDF a",
  "The PDF is being printed or is done: only a queued job can be cancelled.":
    "Le PDF est en cours d’impression ou terminé : seule une tâche en attente peut être annulée.",
  "The browser crashed: the page takes too much memory. Use fewer or smaller pictures and simpler styles.":
    "Le navigateur s’est arrêté : la page prend trop de mémoire. Utilisez des images moins nombreuses ou plus petites et des styles plus simples.",
  "The browser ended while it printed. Try again.": "Le navigateur s’est arrêté pendant l’impression. Réessayez.",
  "The document is not a JPEG, PNG or WebP picture.": "Le document n’est pas une image JPEG, PNG ou WebP.",
  "The draft and the template together are too large. Split the report.":
    "Le brouillon et le modèle sont ensemble trop grands. Divisez le rapport.",
  "The draft is too large after merging the changes of others. Shorten it.":
    "Le brouillon est trop grand après la fusion des changements des autres. Raccourcissez-le.",
  'The draft\'s "language" is not a language tag. Write one such as "de" or "pt-BR", or leave the field out.':
    'Le champ "language" du brouillon n’est pas un code de langue. Écrivez par exemple "de" ou "pt-BR", ou omettez le champ.',
  "The file of the picture is damaged. Upload it again.": "Le fichier de l’image est endommagé. Envoyez-le de nouveau.",
  "The page with its pictures has": "La page avec ses images a",
  "The picture is taller than the page and is printed at {0} % of its size. Make it smaller.":
    "L’image est plus haute que la page et est imprimée à {0} % de sa taille. Réduisez-la.",
  "The picture is wider than the paper and is printed at {0} % of its size. Make it smaller.":
    "L’image est plus large que le papier et est imprimée à {0} % de sa taille. Réduisez-la.",
  "The report could not be laid out within {0} s. Simplify its styles and tables, or split it.":
    "Le rapport n’a pas pu être mis en page en {0} s. Simplifiez ses styles et ses tableaux, ou divisez-le.",
  "The report names more frames than one page can show. Show fewer.":
    "Le rapport nomme plus d’images qu’une page ne peut en montrer. Montrez-en moins.",
  "The report was deleted, or its job cancelled, in the meantime.":
    "Le rapport a été supprimé, ou sa tâche annulée, entre-temps.",
  "The report's text has too much nesting or markup, or too many paragraphs. Split long paragraphs and deep lists, and shorten long lists.":
    "Le texte du rapport a trop d’imbrications ou de balisage, ou trop de paragraphes. Divisez les longs paragraphes et les listes profondes, et raccourcissez les longues listes.",
  "The same PDF was requested at the same time. Send the request again.":
    "Le même PDF a été demandé en même temps. Renvoyez la requête.",
  "The scaled pictures of one report can have at most {0} MiB together. Show fewer.":
    "Les images réduites d’un rapport ont ensemble au plus {0} Mio. Montrez-en moins.",
  "The table is printed at {0} % of its size. Use fewer columns or split it.":
    "Le tableau est imprimé à {0} % de sa taille. Utilisez moins de colonnes ou divisez-le.",
  "The user who requested the PDF may no longer write reports and documents here.":
    "La personne qui a demandé le PDF ne peut plus écrire de rapports et de documents ici.",
  "There is no such document or frame in this location, or you may not read it.":
    "Ce document ou cette image n’existe pas sur ce site, ou vous ne pouvez pas y accéder.",
  "There is no such template for this location. Use your own template or one of the location's organization.":
    "Ce modèle n’existe pas pour ce site. Utilisez le vôtre ou un de ceux de l’organisation du site.",
  "This cursor belongs to another search. Send it with the same term and scope.":
    "Ce curseur appartient à une autre recherche. Envoyez-le avec le même terme et le même périmètre.",
  "This element is taller than the page, and the end of a page may cut through it. Make it lower, or divide it.":
    "Cet élément est plus haut que la page, et la fin d’une page peut le couper. Réduisez sa hauteur, ou divisez-le.",
  "This element is wider than the paper, and a part of it may be cut. Make it narrower.":
    "Cet élément est plus large que le papier, et une partie peut être coupée. Rendez-le plus étroit.",
  "This word is wider than the paper, and its end may be cut. Divide it, or let it break with overflow-wrap.":
    "Ce mot est plus large que le papier, et sa fin peut être coupée. Divisez-le, ou laissez-le se couper avec overflow-wrap.",
  "a stylesheet cannot contain picture helpers": "une feuille de style ne peut pas contenir de fonctions d’image",
  "must be names separated by dots, such as body, Site notes or sections.0.text":
    "doit être des noms séparés par des points, tels que body, Site notes ou sections.0.text",
  "must be the path of a text in contentTemplateJson": "doit être le chemin d’un texte dans contentTemplateJson",
  "must have 1 to 64 lower-case letters, digits, dots, hyphens and underscores":
    "doit avoir de 1 à 64 lettres minuscules, chiffres, points, traits d’union et traits bas",
  "other delimiters than double braces are not supported":
    "d’autres délimiteurs que les doubles accolades ne sont pas pris en charge",
  "sections can have at most {0} levels": "les sections ont au plus {0} niveaux",
  "send either templateId or templateKey": "envoyez soit templateId, soit templateKey",
  "the helper image takes only one path": "la fonction image ne prend qu’un chemin",
  "the page exceeds {0} characters here": "la page dépasse ici {0} caractères",
  "the page has more than {0} pictures here": "la page a ici plus de {0} images",
  "the sections repeat too often here: shorten their lists":
    "les sections se répètent trop ici : raccourcissez leurs listes",
  "the tag is not closed by {0} within {1} characters": "la balise n’est pas fermée par {0} en {1} caractères",
  "was changed by others since your base revision": "a été modifié par d’autres depuis votre révision de départ",
  "{0} PDFs are already waiting. Try again when some are done.":
    "{0} PDF sont déjà en attente. Réessayez quand quelques-uns seront terminés.",
  "{0} more than {1} MiB. Use fewer or smaller pictures, or split the report.":
    "[0] plus de {1} Mio. Utilisez des images moins nombreuses ou plus petites, ou divisez le rapport.",
  "{0}, line {1}, column {2}: {3}": "{0}, ligne {1}, colonne {2} : [3]",
  "unclosed tag": "la balise n’est pas fermée",
  'unclosed section "{0}"': "la section « {0} » n’est pas fermée",
  'unopened section "{0}"': "la section « {0} » n’est pas ouverte",
  "The browser that prints does not know this part of CSS for paged media, and leaves out the declaration with it.":
    "Le navigateur qui imprime ne connaît pas cette partie de CSS pour les pages imprimées et omet la déclaration qui la contient.",
  "The page of this link has no number, because the report does not show its target. Correct the link.":
    "La page de ce lien n’a pas de numéro, car le rapport n’affiche pas sa cible. Corrigez le lien.",
  "The number of this link is not the page of its target, because each number moves other parts of the report. Give the numbers a fixed width.":
    "Le numéro de ce lien n’est pas la page de sa cible, car chaque numéro déplace d’autres parties du rapport. Donnez une largeur fixe aux numéros.",
  '"{0}" is not a path, such as report.title': "« {0} » n’est pas un chemin, comme report.title",
  "the helper {0} has no option {1}: use {2}": "l’assistant {0} n’a pas d’option {1} : utilisez {2}",
  "use only one of currency, unit and style": "utilisez un seul de currency, unit et style",
  "digits is a number, such as 2, or two, such as 0-2, up to {0}":
    "digits est un nombre, comme 2, ou deux, comme 0-2, jusqu’à {0}",
  "currency is a code of three letters, such as EUR": "currency est un code de trois lettres, comme EUR",
  "unit is a name, such as meter, celsius or kilometer-per-hour. Write other units after the tag":
    "unit est un nom, comme meter, celsius ou kilometer-per-hour. Écrivez les autres unités après la balise",
  "the style of a number is percent": "le style d’un nombre est percent",
  "grouping can only be off": "grouping ne peut être que off",
  "style is one of {0}": "style est l’un de {0}",
  "time is one of {0}": "time est l’un de {0}",
  "zone is the name of a time zone, such as Europe/Berlin": "zone est le nom d’un fuseau horaire, comme Europe/Berlin",
  "This value is not a number, so the page shows it as it is. Correct the value or the template.":
    "Cette valeur n’est pas un nombre, donc la page la montre telle quelle. Corrigez la valeur ou le modèle.",
  "This value is not a day, such as 2026-11-19, or a time, so the page shows it as it is. Correct the value or the template.":
    "Cette valeur n’est ni un jour, comme 2026-11-19, ni une heure, donc la page la montre telle quelle. Corrigez la valeur ou le modèle.",
  "This section cannot have paper of its own, because it is in a grid, a row of boxes, columns, a table or a floating box. Move it out of it.":
    "Cette section ne peut pas avoir son propre papier, parce qu’elle est dans une grille, une rangée de boîtes, des colonnes, un tableau ou une boîte flottante. Sortez-la de là.",
  '"{0}" is not the name of a partial, such as letterhead': "« {0} » n’est pas le nom d’une partie, comme letterhead",
  "The organization of the template has no partial of this name, so the page shows nothing in its place.":
    "L’organisation du modèle n’a pas de partie commune de ce nom, donc la page ne montre rien à sa place.",
  "This partial is within itself or within too many other partials, so the page shows nothing in its place.":
    "Cette partie est dans elle-même ou dans trop d’autres parties, donc la page ne montre rien à sa place.",
  "The partial would be within itself. Take it out of the partials in it.":
    "La partie serait dans elle-même. Retirez-la des parties qu’elle contient.",
  "Another person changed this partial. Read it again, and send the revision that you started from as baseRevision or If-Match.":
    "Une autre personne a modifié cette partie. Lisez-la à nouveau et envoyez la révision dont vous êtes parti comme baseRevision ou If-Match.",
  "These use the partial: {0}. Take it out of them first.": "Ceux-ci utilisent la partie : {0}. Retirez-la d’abord.",
  "must have 1 to 64 lower-case letters, digits, hyphens and underscores":
    "doit avoir de 1 à 64 lettres minuscules, chiffres, traits d’union et tirets bas",
};

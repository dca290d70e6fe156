/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "You may not add documents to the location of this document.":
    "No puede añadir documentos al sitio de este documento.",
  "The document was deleted.": "El documento se eliminó.",
  "Another job takes the files out.": "Otra tarea extrae los archivos.",
  "There are no files inside.": "No hay archivos adjuntos.",
  "Only the first {0} files were taken out.": "Solo se extrajeron los primeros {0} archivos.",
  "Some files are stored in a way that the service does not read. They were left out.":
    "Algunos archivos están guardados de una forma que el servicio no lee. Se omitieron.",
  "The person who asked for this may not add documents here any more.":
    "La persona que lo pidió ya no puede añadir documentos aquí.",
  "The storage is full. Delete documents or ask for more, and try again.":
    "El almacenamiento está lleno. Elimine documentos o pida más espacio e inténtelo de nuevo.",
  "Files are taken out of documents of up to 16 MiB.": "Se extraen archivos de documentos de hasta 16 MiB.",
  "The mail has more parts than the service reads.": "El correo tiene más partes de las que lee el servicio.",
  "The PDF is encrypted. Save it without a password to take its files out.":
    "El PDF está cifrado. Guárdelo sin contraseña para extraer sus archivos.",
  "The PDF has more objects than the service reads.": "El PDF tiene más objetos de los que lee el servicio.",
  "The location has an address already. Change or replace it.":
    "El sitio ya tiene una dirección. Cámbiela o sustitúyala.",
  "The other location": "El otro sitio",
  "The location was deleted.": "Se eliminó el sitio.",
  "The person who asked for this may not change documents here any more.":
    "La persona que lo pidió ya no puede cambiar los documentos de aquí.",
  "The service could not go on. Try again.": "El servicio no pudo continuar. Inténtelo de nuevo.",
  "A folder with this path exists. Choose another name.": "Ya existe una carpeta con esta ruta. Elija otro nombre.",
  "A folder cannot move to its own place or into itself. Choose another place.":
    "Una carpeta no se puede mover a su propio lugar ni dentro de sí misma. Elija otro lugar.",
  "Another change of the folders of this location runs. Wait until it has ended.":
    "Hay otro cambio de las carpetas de este sitio en curso. Espere a que termine.",
  "The documents of the folder were changed in the meantime. Try again.":
    "Los documentos de la carpeta cambiaron entretanto. Inténtelo de nuevo.",
  "A document of this folder would have a path and file name of more than {0} bytes. Choose a shorter path.":
    "Un documento de esta carpeta tendría una ruta y un nombre de archivo de más de {0} bytes. Elija una ruta más corta.",
  "The location has no folder with this path. Read its folders again.":
    "El sitio no tiene ninguna carpeta con esta ruta. Lea de nuevo sus carpetas.",
  "This service receives no mail. Ask its operator to set it up.":
    "Este servicio no recibe correo. Pida al operador que lo configure.",
  "must be an e-mail address or a domain": "debe ser una dirección de correo o un dominio",
  "name a folder": "indique una carpeta",
  "too long together with the names below it": "demasiado largo junto con los nombres que contiene",
  "1 page": "1 página",
  "Documents and folders move only between locations of the same workspace.":
    "Los documentos y las carpetas solo se mueven entre sitios del mismo espacio de trabajo.",
  "A document with this path and name exists. Choose another name.":
    "Ya existe un documento con esta ruta y este nombre. Elija otro nombre.",
  "A logo or banner is a PNG, JPEG, WebP or SVG picture: {0}.":
    "Un logotipo o banner es una imagen PNG, JPEG, WebP o SVG: [0].",
  "A logo or banner may have 5 MiB at most. Send a smaller picture.":
    "Un logotipo o banner puede tener 5 MiB como máximo. Envíe una imagen más pequeña.",
  "A page of the PDF contains too much text or drawing.": "Una página del PDF contiene demasiado texto o dibujo.",
  "A part of the file cannot be unpacked.": "Una parte del archivo no se puede descomprimir.",
  "A part of the file contains a single run of text of more than 4 MiB.":
    "Una parte del archivo contiene un solo texto de más de 4 MiB.",
  "A part of the file has a document type declaration, which office programs do not write.":
    "Una parte del archivo tiene una declaración de tipo de documento, que los programas de oficina no escriben.",
  "A part of the file is not well-formed.": "Una parte del archivo no está bien formada.",
  "A part that describes the file is too large.": "Una parte que describe el archivo es demasiado grande.",
  "A slide of the file is missing.": "Falta una diapositiva del archivo.",
  "A tag with this name exists already. Choose another name, or use that tag.":
    "Ya existe una etiqueta con este nombre. Elija otro nombre o use esa etiqueta.",
  "An export has at most {0} documents, versions and images. Request a shorter range of images.":
    "Una exportación tiene {0} documentos, versiones e imágenes como máximo. Solicite un periodo de imágenes más corto.",
  "An export of this workspace is being prepared. Wait for it, or cancel it.":
    "Se está preparando una exportación de este espacio de trabajo. Espérela o cancélela.",
  "Another document or upload has this path and name now. Rename or delete it, then restore this document.":
    "Otro documento o envío tiene ahora esta ruta y este nombre. Cámbiele el nombre o elimínelo y luego restaure este documento.",
  "Files of the preparation were removed. Start a new export.":
    "Se han eliminado archivos de la preparación. Inicie una exportación nueva.",
  "No file has arrived. PUT it to `uploadUrl`, then call this again.":
    "No ha llegado ningún archivo. Envíelo con PUT a `uploadUrl` y repita esta llamada.",
  "No text could be read in the pictures of {0}.": "No se pudo leer ningún texto en las imágenes de [0].",
  "No text could be read in the pictures: they have none, or it is too faint, too small or written by hand.":
    "No se pudo leer ningún texto en las imágenes: no lo tienen, o es demasiado tenue, demasiado pequeño o está escrito a mano.",
  "Only an owner may export an organization.": "Solo un propietario puede exportar una organización.",
  "Page {0} of the PDF cannot be read.": "La página {0} del PDF no se puede leer.",
  "Pages are pictures, and the organization has used up its jobs of this month. The other pages are read next month.":
    "Hay páginas que son imágenes, y la organización ha agotado sus tareas de este mes. Las demás páginas se leerán el mes próximo.",
  "Pages are pictures. The recognition of text in pictures is switched off for this organization.":
    "Hay páginas que son imágenes. El reconocimiento de texto en imágenes está desactivado para esta organización.",
  "Pages are pictures. The recognition of text in pictures is switched off on this service.":
    "Hay páginas que son imágenes. El reconocimiento de texto en imágenes está desactivado en este servicio.",
  "Pages of the PDF cannot be read.": "Hay páginas del PDF que no se pueden leer.",
  "Path and file name together must have at most {0} bytes. Shorten one of them.":
    "La ruta y el nombre del archivo pueden tener juntos {0} bytes como máximo. Acorte uno de los dos.",
  "Search finds only the first {0} pages of the PDF.": "La búsqueda solo encuentra las primeras {0} páginas del PDF.",
  "Search finds the text of the document. {0} without text are read as pictures.":
    "La búsqueda encuentra el texto del documento. Se leen como imágenes [0] sin texto.",
  "Text was recognized on {0} of {1}.": "Se reconoció texto en {0} de [1].",
  "The PDF holds more than {0} streams.": "El PDF contiene más de {0} flujos.",
  "The PDF is damaged.": "El PDF está dañado.",
  "The PDF is larger than 16 MiB. This service reads such a PDF only while text recognition is on. Split it into smaller files and upload them.":
    "El PDF supera 16 MiB. Este servicio lee un PDF así solo si el reconocimiento de texto está activado. Divídalo en archivos más pequeños y súbalos.",
  "The PDF opens only with a password.": "El PDF solo se abre con una contraseña.",
  "The PDF unpacks to more data than the service reads. Print it to a new PDF and upload that.":
    "El PDF se descomprime en más datos de los que lee el servicio. Imprímalo en un PDF nuevo y suba este.",
  "The SHA-256 of the received file differs from the announced one. Start the upload again and send the file unchanged.":
    "El SHA-256 del archivo recibido difiere del anunciado. Empiece de nuevo la subida y envíe el archivo sin cambios.",
  "The browser ended while it read the pages. Try again.":
    "El navegador se cerró mientras leía las páginas. Inténtelo de nuevo.",
  "The document has too much text. Search finds only the first {0} Mi characters.":
    "El documento tiene demasiado texto. La búsqueda solo encuentra los primeros {0} Mi caracteres.",
  "The document is in the trash. Restore it first.": "El documento está en la papelera. Restáurelo primero.",
  "The document or its location was deleted in the meantime.": "El documento o su sitio se ha eliminado entretanto.",
  "The document or its organization was changed in the meantime.":
    "El documento o su organización se ha cambiado entretanto.",
  "The document was changed in the meantime. Try again.": "El documento se ha cambiado entretanto. Inténtelo de nuevo.",
  "The document was deleted in the meantime.": "El documento se ha eliminado entretanto.",
  "The elements in a part of the file are nested too deep.":
    "Los elementos de una parte del archivo están demasiado anidados.",
  "The elements of the page are nested too deep.": "Los elementos de la página están demasiado anidados.",
  "The export has expired, was cancelled, or a file of it was deleted. Start a new one.":
    "La exportación ha caducado, se ha cancelado o se ha eliminado uno de sus archivos. Inicie una nueva.",
  "The file cannot be read.": "El archivo no se puede leer.",
  "The file cannot be read. Open it in the program that made it and save it again.":
    "El archivo no se puede leer. Ábralo en el programa que lo creó y vuelva a guardarlo.",
  "The file contains more than {0} parts.": "El archivo contiene más de {0} partes.",
  "The file contains no text.": "El archivo no contiene texto.",
  "The file differs from the announced one. Start the upload again.":
    "El archivo difiere del anunciado. Empiece de nuevo la subida.",
  "The file does not declare its character set, and its bytes do not show it. Save it as UTF-8 and upload it again.":
    "El archivo no indica su juego de caracteres, y sus bytes no lo muestran. Guárdelo como UTF-8 y vuelva a subirlo.",
  "The file ends before its text.": "El archivo termina antes de su texto.",
  "The file has no text part.": "El archivo no tiene parte de texto.",
  "The file has no workbook.": "El archivo no tiene libro de trabajo.",
  "The file holds more than {0} parts.": "El archivo contiene más de {0} partes.",
  "The file holds more than {0} sheets.": "El archivo contiene más de {0} hojas.",
  "The file holds more than {0} slides.": "El archivo contiene más de {0} diapositivas.",
  "The file is not a complete archive.": "El archivo no es un archivo comprimido completo.",
  "The file is protected against copying.": "El archivo está protegido contra copia.",
  "The file is protected with a password.": "El archivo está protegido con una contraseña.",
  "The file is still being verified. Call this again to get the result.":
    "El archivo todavía se está verificando. Repita esta llamada para obtener el resultado.",
  "The file unpacks to more than 128 MiB, which is the maximum.":
    "El archivo se descomprime en más de 128 MiB, que es el máximo.",
  "The file unpacks to more than 200 times its size, which is the maximum.":
    "El archivo se descomprime en más de 200 veces su tamaño, que es el máximo.",
  "The file uses an unsupported compression method.": "El archivo usa un método de compresión no admitido.",
  "The groups of the file are nested too deep.": "Los grupos del archivo están demasiado anidados.",
  "The header of the picture cannot be read.": "La cabecera de la imagen no se puede leer.",
  "The mail cannot be read.": "El correo no se puede leer.",
  "The mail {0}. Search finds its text, but not the text of all attachments.":
    "El correo [0]. La búsqueda encuentra su texto, pero no el de todos los adjuntos.",
  "The organization was deleted in the meantime.": "La organización se ha eliminado entretanto.",
  "The organization was deleted.": "La organización se ha eliminado.",
  "The page contains a single tag of more than 16 MiB.": "La página contiene una sola marca de más de 16 MiB.",
  "The parts of the file are too scattered. Save it under another name and upload that.":
    "Las partes del archivo están demasiado dispersas. Guárdelo con otro nombre y suba ese archivo.",
  "The pages could not be read. {0}": "No se pudieron leer las páginas. [0]",
  "The picture has {0} × {1} pixels. An edge may have up to {2} pixels.":
    "La imagen tiene {0} × {1} píxeles. Un lado puede tener hasta {2} píxeles.",
  "The picture is stored in a form that the service does not read. Save it as a JPEG or PDF.":
    "La imagen está guardada en una forma que el servicio no lee. Guárdela como JPEG o PDF.",
  "Previews of HEIC and TIFF files are made up to {0} MiB.":
    "Hay vistas previas de archivos HEIC y TIFF de hasta {0} MiB.",
  "The recognition of text and the previews of such files are switched off on this service.":
    "El reconocimiento de texto y las vistas previas de estos archivos están desactivados en este servicio.",
  "{0} The file itself is kept unchanged.": "[0] El archivo en sí se conserva sin cambios.",
  "The picture has {0} × {1} pixels. Text is recognized in pictures of up to {2} megapixels.":
    "La imagen tiene {0} × {1} píxeles. El texto se reconoce en imágenes de hasta {2} megapíxeles.",
  "The preparation took too long.": "La preparación ha tardado demasiado.",
  "The preparation took too long. Request fewer images.":
    "La preparación ha tardado demasiado. Solicite menos imágenes.",
  "The service cannot extract text from Office formats before 2007. Save the file in a current format and upload it again.":
    "El servicio no puede extraer texto de formatos de Office anteriores a 2007. Guarde el archivo en un formato actual y vuelva a subirlo.",
  "The service cannot extract text from Word formats before 97. Save the file in a current format and upload it again.":
    "El servicio no puede extraer texto de formatos de Word anteriores a 97. Guarde el archivo en un formato actual y vuelva a subirlo.",
  "The service cannot extract text from files of this kind. Search finds only the file's name.":
    "El servicio no puede extraer texto de archivos de este tipo. La búsqueda solo encuentra el nombre del archivo.",
  "The service is preparing the picture. Try again in a few seconds.":
    "El servicio está preparando la imagen. Inténtelo de nuevo en unos segundos.",
  "The shared strings of the workbook are larger than 24 MiB.": "Las cadenas compartidas del libro superan 24 MiB.",
  "The storage is full, including the bytes that open uploads reserve. Delete documents or ask the operator for more, then try again.":
    "El almacenamiento está lleno, incluidos los bytes que reservan las subidas abiertas. Elimine documentos o pida más al operador, e inténtelo de nuevo.",
  "The text could not be extracted. {0}": "No se pudo extraer el texto. [0]",
  "The upload has ended in the meantime.": "La subida ha terminado entretanto.",
  "The upload has ended in the meantime. Start it again.": "La subida ha terminado entretanto. Empiécela de nuevo.",
  "The upload has expired or was cancelled. Start it again.":
    "La subida ha caducado o se ha cancelado. Empiécela de nuevo.",
  "The upload has expired. Start it again.": "La subida ha caducado. Empiécela de nuevo.",
  "The upload has its result already, so it cannot be cancelled.":
    "La subida ya tiene su resultado, así que no se puede cancelar.",
  "The upload is being completed by another request.": "Otra solicitud está completando la subida.",
  "The workbook has more formats than Excel allows.": "El libro tiene más formatos de los que permite Excel.",
  "The written files have expired. Try again.": "Los archivos escritos han caducado. Inténtelo de nuevo.",
  "There is no preview of this file.": "No hay vista previa de este archivo.",
  "The first page cannot be drawn.": "No se puede dibujar la primera página.",
  "This SVG contains text. Reports draw it with the fonts of the machine that prints, and the previews leave it out. Convert the text to outlines and upload the file again.":
    "Este SVG contiene texto. Los informes lo dibujan con las fuentes de la máquina que imprime, y las vistas previas lo omiten. Convierta el texto en trazados y vuelva a subir el archivo.",
  "This document would have more than {0} tags. Take some of its tags away.":
    "Este documento tendría más de {0} etiquetas. Quítele algunas.",
  "This token is restricted. Use a token without restrictions, or sign in.":
    "Este token está restringido. Use un token sin restricciones o inicie sesión.",
  "This workspace": "Este espacio de trabajo",
  "You announced {0} bytes and sent {1}. Start the upload again with the right size.":
    "Anunció {0} bytes y envió {1}. Empiece de nuevo la subida con el tamaño correcto.",
  "You or this token cannot read everything that the export has. Missing: {0}. Without images it needs no cameras.":
    "Usted o este token no puede leer todo lo que contiene la exportación. Falta: {0}. Sin imágenes no necesita cámaras.",
  "has too many lines or parts": "tiene demasiadas líneas o partes",
  "is larger than 16 MiB": "supera 16 MiB",
  "it cannot be drawn": "no se puede dibujar",
  "it cannot be read": "no se puede leer",
  "it declares entities": "declara entidades",
  "it has more than {0} elements": "tiene más de {0} elementos",
  "it has {0} × {1} pixels, and the maximum is {2} pixels in all":
    "tiene {0} × {1} píxeles, y el máximo es de {2} píxeles en total",
  "it is not well-formed XML": "no es XML bien formado",
  "it uses filters or foreign objects": "usa filtros u objetos externos",
  "its data is damaged": "sus datos están dañados",
  "its elements are nested more than {0} deep": "sus elementos están anidados en más de {0} niveles",
  "its header gives no size": "su cabecera no indica el tamaño",
  "its paths are too long, or its references multiply too often or form a circle":
    "sus trazados son demasiado largos, o sus referencias se multiplican demasiado o forman un ciclo",
  "its root is not an svg element": "su raíz no es un elemento svg",
  "its stylesheet is too long": "su hoja de estilos es demasiado larga",
  "may have at most {0} characters in each segment": "puede tener como máximo {0} caracteres en cada segmento",
  "may not have a segment of v and eight digits: it means a version":
    "no puede tener un segmento de v y ocho cifras: designa una versión",
  "may not have a slash": "no puede tener una barra",
  "may not have an empty segment, and may not begin or end with a slash":
    "no puede tener un segmento vacío ni empezar o terminar con una barra",
  "may not have the segments . and ..": "no puede tener los segmentos . y ..",
  "must be #rgb, #rrggbb or #rrggbbaa": "debe ser #rgb, #rrggbb o #rrggbbaa",
  "must be a media type, such as application/pdf": "debe ser un tipo de medio, como application/pdf",
  "must be a media type, such as image/png": "debe ser un tipo de medio, como image/png",
  "name each grant once": "nombre cada permiso una sola vez",
  "name each document once": "nombre cada documento una sola vez",
  "this file is another kind": "este archivo es de otro formato",
  "toUtc must not be before fromUtc": "toUtc no puede ser anterior a fromUtc",
  "too long together with fileName": "demasiado largo junto con fileName",
  "{0} Open it in the program that made it and save it again.":
    "[0] Abra el archivo en el programa que lo creó y vuelva a guardarlo.",
  "{0} Use linkType=file to get the file itself.": "[0] Use linkType=file para obtener el propio archivo.",
  "{0} behind them were not read.": "Sin leer después: [0].",
  "{0} pages": "{0} páginas",
  "{0}: damaged. Open the file in the program that made it and save it again.":
    "[0]: datos dañados. Abra el archivo en el programa que lo creó y vuelva a guardarlo.",
  "{0}: reading did not end in time. Print the document to a new PDF and upload that.":
    "[0]: la lectura no terminó a tiempo. Imprima el documento en un PDF nuevo y súbalo.",
  "What the export is of was deleted.": "Se ha eliminado lo que se iba a exportar.",
  "This upload is not sent in parts.": "Esta subida no se envía por partes.",
  "The upload has {0} parts.": "La subida tiene {0} partes.",
  "must have numbers from 1 to {0}": "debe tener números de 1 a {0}",
  "The upload has ended. Start it again.": "La subida ha terminado. Empiécela de nuevo.",
  "Some parts have not arrived. Read the upload, send the parts that it lacks, then call this again.":
    "Algunas partes no han llegado. Lea la subida, envíe las partes que faltan y repita esta llamada.",
  "The text of a file of more than 100 MiB is not read. Search finds it by its name and tags.":
    "El texto de un archivo de más de 100 MiB no se lee. La búsqueda lo encuentra por su nombre y sus etiquetas.",
  "A file of more than 100 MiB is sent in parts. Start the upload at `documents/uploads`.":
    "Un archivo de más de 100 MiB se envía por partes. Empiece la subida en `documents/uploads`.",
  "A document may have at most 2 GiB. Split it into several documents.":
    "Un documento puede tener 2 GiB como máximo. Divídalo en varios documentos.",
  "it takes too long to draw. Draw fewer large, transparent or overlapping shapes and fewer or shorter lines, or upload a PNG":
    "tarda demasiado en dibujarse. Dibuje menos formas grandes, transparentes o superpuestas y menos líneas o líneas más cortas, o suba un PNG",
  "its elements are nested too deep": "sus elementos están anidados a demasiada profundidad",
  "its references are nested too deep": "sus referencias están anidadas a demasiada profundidad",
  "a picture in it is not PNG, JPEG or WebP. Put its shapes into the SVG itself":
    "una imagen que contiene no es PNG, JPEG ni WebP. Ponga sus formas en el propio SVG",
  "it has too many transparent, masked or clipped parts, or gradients":
    "tiene demasiadas partes transparentes, enmascaradas o recortadas, o degradados",
};

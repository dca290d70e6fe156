/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "The first heading of the report has level {0}. Begin with a heading of level 1.":
    "El primer título del informe tiene el nivel {0}. Empiece con un título de nivel 1.",
  "A heading of level {0} comes after one of level {1}. Do not skip a level.":
    "Un título de nivel {0} sigue a uno de nivel {1}. No se salte ningún nivel.",
  "The table has parts that are no rows and no cells. Correct its HTML.":
    "La tabla tiene partes que no son filas ni celdas. Corrija su HTML.",
  "The table has no header cells. Write its headings as <th>.":
    "La tabla no tiene celdas de encabezado. Escriba sus títulos como <th>.",
  "The rows of the table do not have the same number of columns. Complete them.":
    "Las filas de la tabla no tienen el mismo número de columnas. Complételas.",
  "A header cell of the table has no scope. Write <th scope=col> or <th scope=row>.":
    "Una celda de encabezado de la tabla no tiene ámbito. Escriba <th scope=col> o <th scope=row>.",
  'A picture on page {0} has no alternative text. Write what it shows into alt, or alt="" for decoration.':
    'Una imagen de la página {0} no tiene texto alternativo. Escriba en alt lo que muestra, o alt="" si es decoración.',
  "A formula on page {0} has no alternative text. Write it into aria-label.":
    "Una fórmula de la página {0} no tiene texto alternativo. Escríbalo en aria-label.",
  "A cell on page {0} is outside of a table. Correct its HTML.":
    "Una celda de la página {0} está fuera de una tabla. Corrija su HTML.",
  "Words on page {0} are hidden from screen readers. Remove aria-hidden.":
    "Hay palabras de la página {0} ocultas para los lectores de pantalla. Quite aria-hidden.",
  "A link on page {0} is hidden from screen readers. Remove aria-hidden.":
    "Un enlace de la página {0} está oculto para los lectores de pantalla. Quite aria-hidden.",
  "No font has some characters of the report, and an empty box is printed for each. Write them differently.":
    "Ninguna fuente tiene algunos caracteres del informe, y se imprime un recuadro vacío por cada uno. Escríbalos de otro modo.",
  "A font of the report does not tell which characters it draws. Use another font.":
    "Una fuente del informe no indica qué caracteres dibuja. Utilice otra.",
  "A font of the report may not be put into a PDF. Use another font.":
    "Una fuente del informe no puede incluirse en un PDF. Utilice otra.",
  "The styles of the report are nested too deeply for an archive. Simplify them.":
    "Los estilos del informe están demasiado anidados para un archivo. Simplifíquelos.",
  "The PDF has a text that is too long for an archive. Shorten the alternative texts and addresses.":
    "El PDF tiene un texto demasiado largo para un archivo. Acorte los textos alternativos y las direcciones.",
  "The PDF has a picture with the colours of a printing press (CMYK). Save it with RGB colours.":
    "El PDF tiene una imagen con colores de imprenta (CMYK). Guárdela con colores RGB.",
  "The PDF has a name that is too long for an archive.": "El PDF tiene un nombre demasiado largo para un archivo.",
  "The PDF has a part that an archive does not allow.": "El PDF tiene una parte que un archivo no permite.",
  "The PDF has a picture with a colour profile that an archive does not allow. Save it with sRGB colours.":
    "El PDF tiene una imagen con un perfil de color que un archivo no permite. Guárdela con colores sRGB.",
  "The report is too long or too unusual to be prepared for screen readers and archives. Simplify its styles, or split it.":
    "El informe es demasiado largo o inusual para prepararlo para lectores de pantalla y archivos. Simplifique sus estilos o divídalo.",
  "The PDF does not have the data of the report in it, because its form is too unusual. Simplify its styles, or split the report.":
    "El PDF no contiene los datos del informe, porque su forma es demasiado inusual. Simplifique sus estilos o divida el informe.",
  "This link has no number, because its target is no figure or table with a caption. Correct the link.":
    "Este enlace no tiene número, porque su destino no es una figura ni una tabla con leyenda. Corrija el enlace.",
  '"{0}" is neither a path, such as report.title, nor a helper, such as image "photo"':
    '«{0}» no es una ruta, como report.title, ni una función, como image "photo"',
  "A picture cannot be used here. Remove it.": "Aquí no se puede usar una imagen. Quítela.",
  "Another template has this key now. Change its key or delete it, then restore this template.":
    "Otra plantilla tiene ahora esta clave. Cambie su clave o elimínela, y luego restaure esta plantilla.",
  "Another person changed this template. Read it again, and send the revision that you started from as baseRevision or If-Match.":
    "Otra persona ha cambiado esta plantilla. Léala de nuevo y envíe la revisión de la que partió como baseRevision o If-Match.",
  "A template with this key exists already. Choose another key or change that template.":
    "Ya existe una plantilla con esta clave. Elija otra clave o cambie esa plantilla.",
  "It is being prepared for pages.": "Se está preparando para las páginas.",
  "Its file no longer exists.": "Su archivo ya no existe.",
  "No browser was free for printing. Try again later.":
    "Ningún navegador estaba libre para imprimir. Inténtelo de nuevo más tarde.",
  "No font of the machine that prints has {0}. Write them differently, or add a data: font that has them.":
    "Ninguna fuente de la máquina que imprime tiene {0}. Escríbalos de otra forma o añada una fuente data: que los tenga.",
  "Others changed the same fields. Read the report again and repeat your change.":
    "Otras personas han cambiado los mismos campos. Vuelva a leer el informe y repita su cambio.",
  "Parsers can read the page's HTML in different ways, so it is uncertain what the page would load. Close every tag, and put no title, style or textarea into select, table or svg.":
    "El HTML de la página se puede leer de varias formas, así que no es seguro qué cargaría la página. Cierre todas las marcas y no ponga title, style o textarea dentro de select, table o svg.",
  "People are editing this report now. Send the revision that you started from as baseRevision or If-Match: the service merges your changes with theirs.":
    "Hay personas editando este informe. Envíe la revisión de la que partió como baseRevision o If-Match: el servicio combina sus cambios con los de ellas.",
  "Send a `fromUtc` that is before `toUtc`.": "Envíe un `fromUtc` anterior a `toUtc`.",
  "Several organizations have a template with this key: {0}. Select one with organizationId.":
    "Varias organizaciones tienen una plantilla con esta clave: {0}. Elija una con organizationId.",
  "The PDF has": "El PDF tiene",
  "The PDF is being printed or is done: only a queued job can be cancelled.":
    "El PDF se está imprimiendo o está listo: solo se puede cancelar una tarea en espera.",
  "The browser crashed: the page takes too much memory. Use fewer or smaller pictures and simpler styles.":
    "El navegador falló: la página ocupa demasiada memoria. Use menos imágenes o más pequeñas y estilos más sencillos.",
  "The browser ended while it printed. Try again.": "El navegador se cerró mientras imprimía. Inténtelo de nuevo.",
  "The document is not a JPEG, PNG or WebP picture.": "El documento no es una imagen JPEG, PNG o WebP.",
  "The draft and the template together are too large. Split the report.":
    "El borrador y la plantilla juntos son demasiado grandes. Divida el informe.",
  "The draft is too large after merging the changes of others. Shorten it.":
    "El borrador es demasiado grande tras combinar los cambios de otros. Acórtelo.",
  'The draft\'s "language" is not a language tag. Write one such as "de" or "pt-BR", or leave the field out.':
    'El campo "language" del borrador no es una etiqueta de idioma. Escriba una como "de" o "pt-BR", u omita el campo.',
  "The file of the picture is damaged. Upload it again.": "El archivo de la imagen está dañado. Vuelva a subirlo.",
  "The page with its pictures has": "La página con sus imágenes tiene",
  "The picture is taller than the page and is printed at {0} % of its size. Make it smaller.":
    "La imagen es más alta que la página y se imprime al {0} % de su tamaño. Redúzcala.",
  "The picture is wider than the paper and is printed at {0} % of its size. Make it smaller.":
    "La imagen es más ancha que el papel y se imprime al {0} % de su tamaño. Redúzcala.",
  "The report could not be laid out within {0} s. Simplify its styles and tables, or split it.":
    "El informe no se pudo maquetar en {0} s. Simplifique sus estilos y tablas, o divídalo.",
  "The report names more frames than one page can show. Show fewer.":
    "El informe nombra más imágenes de las que puede mostrar una página. Muestre menos.",
  "The report was deleted, or its job cancelled, in the meantime.":
    "El informe se ha eliminado, o su tarea se ha cancelado, entretanto.",
  "The report's text has too much nesting or markup, or too many paragraphs. Split long paragraphs and deep lists, and shorten long lists.":
    "El texto del informe tiene demasiado anidamiento o formato, o demasiados párrafos. Divida los párrafos largos y las listas profundas, y acorte las listas largas.",
  "The same PDF was requested at the same time. Send the request again.":
    "El mismo PDF se solicitó al mismo tiempo. Vuelva a enviar la solicitud.",
  "The scaled pictures of one report can have at most {0} MiB together. Show fewer.":
    "Las imágenes reducidas de un informe pueden tener juntas {0} MiB como máximo. Muestre menos.",
  "The table is printed at {0} % of its size. Use fewer columns or split it.":
    "La tabla se imprime al {0} % de su tamaño. Use menos columnas o divídala.",
  "The user who requested the PDF may no longer write reports and documents here.":
    "La persona que solicitó el PDF ya no puede escribir informes ni documentos aquí.",
  "There is no such document or frame in this location, or you may not read it.":
    "En este sitio no hay tal documento o imagen, o usted no puede leerlo.",
  "There is no such template for this location. Use your own template or one of the location's organization.":
    "No hay tal plantilla para este sitio. Use la suya o una de la organización del sitio.",
  "This cursor belongs to another search. Send it with the same term and scope.":
    "Este cursor pertenece a otra búsqueda. Envíelo con el mismo término y ámbito.",
  "This element is taller than the page, and the end of a page may cut through it. Make it lower, or divide it.":
    "Este elemento es más alto que la página, y el final de una página puede cortarlo. Hágalo más bajo o divídalo.",
  "This element is wider than the paper, and a part of it may be cut. Make it narrower.":
    "Este elemento es más ancho que el papel, y una parte puede quedar cortada. Hágalo más estrecho.",
  "This word is wider than the paper, and its end may be cut. Divide it, or let it break with overflow-wrap.":
    "Esta palabra es más ancha que el papel, y su final puede quedar cortado. Divídala o deje que se parta con overflow-wrap.",
  "a stylesheet cannot contain picture helpers": "una hoja de estilos no puede contener funciones de imagen",
  "must be names separated by dots, such as body, Site notes or sections.0.text":
    "debe ser nombres separados por puntos, como body, Site notes o sections.0.text",
  "must be the path of a text in contentTemplateJson": "debe ser la ruta de un texto en contentTemplateJson",
  "must have 1 to 64 lower-case letters, digits, dots, hyphens and underscores":
    "debe tener de 1 a 64 letras minúsculas, cifras, puntos, guiones y guiones bajos",
  "other delimiters than double braces are not supported": "no se admiten otros delimitadores que las llaves dobles",
  "sections can have at most {0} levels": "las secciones pueden tener {0} niveles como máximo",
  "send either templateId or templateKey": "envíe templateId o templateKey",
  "the helper image takes only one path": "la función image solo admite una ruta",
  "the page exceeds {0} characters here": "la página supera aquí {0} caracteres",
  "the page has more than {0} pictures here": "la página tiene aquí más de {0} imágenes",
  "the sections repeat too often here: shorten their lists":
    "las secciones se repiten demasiado aquí: acorte sus listas",
  "the tag is not closed by {0} within {1} characters": "la marca no se cierra con {0} en {1} caracteres",
  "was changed by others since your base revision": "otras personas lo han cambiado desde su revisión de partida",
  "{0} PDFs are already waiting. Try again when some are done.":
    "Ya hay {0} PDF en espera. Inténtelo de nuevo cuando algunos estén listos.",
  "{0} more than {1} MiB. Use fewer or smaller pictures, or split the report.":
    "[0] más de {1} MiB. Use menos imágenes o más pequeñas, o divida el informe.",
  "{0}, line {1}, column {2}: {3}": "{0}, línea {1}, columna {2}: [3]",
  "unclosed tag": "la marca no está cerrada",
  'unclosed section "{0}"': "la sección «{0}» no está cerrada",
  'unopened section "{0}"': "la sección «{0}» no está abierta",
  "The browser that prints does not know this part of CSS for paged media, and leaves out the declaration with it.":
    "El navegador que imprime no conoce esta parte de CSS para páginas impresas y omite la declaración que la contiene.",
  "The page of this link has no number, because the report does not show its target. Correct the link.":
    "La página de este enlace no tiene número, porque el informe no muestra su destino. Corrija el enlace.",
  "The number of this link is not the page of its target, because each number moves other parts of the report. Give the numbers a fixed width.":
    "El número de este enlace no es la página de su destino, porque cada número desplaza otras partes del informe. Dé a los números un ancho fijo.",
  '"{0}" is not a path, such as report.title': "«{0}» no es una ruta, como report.title",
  "the helper {0} has no option {1}: use {2}": "el asistente {0} no tiene la opción {1}: use {2}",
  "use only one of currency, unit and style": "use solo uno de currency, unit y style",
  "digits is a number, such as 2, or two, such as 0-2, up to {0}":
    "digits es un número, como 2, o dos, como 0-2, hasta {0}",
  "currency is a code of three letters, such as EUR": "currency es un código de tres letras, como EUR",
  "unit is a name, such as meter, celsius or kilometer-per-hour. Write other units after the tag":
    "unit es un nombre, como meter, celsius o kilometer-per-hour. Escriba otras unidades después de la etiqueta",
  "the style of a number is percent": "el style de un número es percent",
  "grouping can only be off": "grouping solo puede ser off",
  "style is one of {0}": "style es uno de {0}",
  "time is one of {0}": "time es uno de {0}",
  "zone is the name of a time zone, such as Europe/Berlin": "zone es el nombre de una zona horaria, como Europe/Berlin",
  "This value is not a number, so the page shows it as it is. Correct the value or the template.":
    "Este valor no es un número, por eso la página lo muestra tal como está. Corrija el valor o la plantilla.",
  "This value is not a day, such as 2026-11-19, or a time, so the page shows it as it is. Correct the value or the template.":
    "Este valor no es un día, como 2026-11-19, ni una hora, por eso la página lo muestra tal como está. Corrija el valor o la plantilla.",
  "This section cannot have paper of its own, because it is in a grid, a row of boxes, columns, a table or a floating box. Move it out of it.":
    "Esta sección no puede tener papel propio, porque está en una cuadrícula, una fila de cajas, columnas, una tabla o una caja flotante. Sáquela de ahí.",
  '"{0}" is not the name of a partial, such as letterhead': "«{0}» no es el nombre de una parte, como letterhead",
  "The organization of the template has no partial of this name, so the page shows nothing in its place.":
    "La organización de la plantilla no tiene ninguna parte común con este nombre, por eso la página no muestra nada en su lugar.",
  "This partial is within itself or within too many other partials, so the page shows nothing in its place.":
    "Esta parte está dentro de sí misma o de demasiadas otras partes, por eso la página no muestra nada en su lugar.",
  "The partial would be within itself. Take it out of the partials in it.":
    "La parte estaría dentro de sí misma. Quítela de las partes que contiene.",
  "Another person changed this partial. Read it again, and send the revision that you started from as baseRevision or If-Match.":
    "Otra persona cambió esta parte. Léala de nuevo y envíe la revisión de la que partió como baseRevision o If-Match.",
  "These use the partial: {0}. Take it out of them first.": "Estos usan la parte: {0}. Quítela primero de ellos.",
  "must have 1 to 64 lower-case letters, digits, hyphens and underscores":
    "debe tener de 1 a 64 letras minúsculas, dígitos, guiones y guiones bajos",
};

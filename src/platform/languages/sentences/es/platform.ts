/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "A part of the service did not answer.": "Una parte del servicio no respondió.",
  "A part of the service does not answer at the moment. Send the request again.":
    "Una parte del servicio no responde en este momento. Vuelva a enviar la solicitud.",
  "A repeat of this request is still running. Send it again later.":
    "Una repetición de esta solicitud sigue en curso. Vuelva a enviarla más tarde.",
  "A rule does not allow this": "Una regla no lo permite",
  "Correct these fields and send the request again: {0}.": "Corrija estos campos y vuelva a enviar la solicitud: {0}.",
  "Every try crashed without a result.": "Todos los intentos fallaron sin resultado.",
  "It stopped unexpectedly.": "Se detuvo inesperadamente.",
  "No browser could be started. Try again later.": "No se pudo iniciar ningún navegador. Inténtelo de nuevo más tarde.",
  "No browser is available at the moment. Try again later.":
    "Ningún navegador está disponible en este momento. Inténtelo de nuevo más tarde.",
  "Not allowed": "No permitido",
  "Not available at the moment": "No disponible en este momento",
  "Not found": "No encontrado",
  "Previews are made only of {0} files up to {1} MiB.": "Solo hay vistas previas de archivos {0} de hasta {1} MiB.",
  "The sign-in needs a second step": "El inicio de sesión necesita un segundo paso",
  "Registration is not open": "El registro no está abierto",
  "Send `cursor` exactly as `nextCursor` of the previous page.":
    "Envíe `cursor` exactamente como `nextCursor` de la página anterior.",
  "Send a body of at most {0} KiB.": "Envíe {0} KiB como máximo.",
  "Send the request again.": "Vuelva a enviar la solicitud.",
  "Sign in first": "Inicie sesión primero",
  "Somebody else has started one of these jobs again. Read the list again.":
    "Otra persona ha reiniciado una de estas tareas. Vuelva a leer la lista.",
  "Something went wrong in the service": "Se ha producido un error en el servicio",
  "The camera is at another location now": "La cámara está ahora en otro sitio",
  "The capture is older than the retention period": "La captura es más antigua que el periodo de conservación",
  "The capture time is in the future": "La hora de la captura está en el futuro",
  "The capture was registered with other metadata": "La captura se anunció con otros datos",
  "The change would expire images": "El cambio haría caducar imágenes",
  "The content is too large": "El contenido es demasiado grande",
  "The credential has expired": "La credencial ha caducado",
  "The credential is no longer valid": "La credencial ya no es válida",
  "The credentials are wrong": "Las credenciales son incorrectas",
  "The cursor is not valid": "El cursor no es válido",
  "The database has an older schema than the service. Apply the migrations.":
    "La base de datos tiene un esquema más antiguo que el servicio. Aplique las migraciones.",
  "The database of this service has no room. Its operator is told. Send the request again later.":
    "La base de datos de este servicio está llena. Se avisa a su operador. Vuelva a enviar la solicitud más tarde.",
  "The export has changed. Start the download again.": "La exportación ha cambiado. Vuelva a empezar la descarga.",
  "The export has ended": "La exportación ha terminado",
  "The failure is logged under this request id. Please try again.":
    "El error queda registrado con el identificador de esta solicitud. Inténtelo de nuevo.",
  "The file differs from its declared size, type or checksum":
    "El archivo difiere de su tamaño, tipo o suma de comprobación anunciados",
  "The file has no such picture": "El archivo no tiene esa imagen",
  "The file has not arrived": "El archivo no ha llegado",
  "The first request is still running. Send it again later.":
    "La primera solicitud sigue en curso. Vuelva a enviarla más tarde.",
  "The idempotency key was used for another request": "La clave de idempotencia se usó para otra solicitud",
  "The invitation has ended": "La invitación ha terminado",
  "The key matches several resources": "La clave corresponde a varios recursos",
  "The link has expired": "El enlace ha caducado",
  "The link needs its passcode": "El enlace necesita su código de acceso",
  "The media type is not supported": "El tipo de medio no se admite",
  "The method is not allowed": "El método no está permitido",
  "The organization must have an owner": "La organización debe tener un propietario",
  "The pairing code has ended": "El código de emparejamiento ha terminado",
  "The pairing code is for another camera": "El código de emparejamiento es de otra cámara",
  "The picture cannot be read: {0}. The file itself is kept unchanged.":
    "La imagen no se puede leer: [0]. El propio archivo se conserva sin cambios.",
  "The picture has {0} × {1} pixels; previews of {2} files have a limit of {3} pixels.":
    "La imagen tiene {0} × {1} píxeles; las vistas previas de archivos {2} tienen un límite de {3} píxeles.",
  "The picture has {0}.": "La imagen tiene [0].",
  "The picture is {0} pixels wide; previews of image/png files have a limit of {1}.":
    "La imagen tiene {0} píxeles de ancho; las vistas previas de archivos image/png tienen un límite de {1}.",
  "The precondition failed": "La condición previa no se cumple",
  "The request conflicts with the current state": "La solicitud no encaja con el estado actual",
  "The request could not be read": "La solicitud no se pudo leer",
  "The request is not valid": "La solicitud no es válida",
  "The request was completed, and its response is no longer available":
    "La solicitud se completó, y su respuesta ya no está disponible",
  "The request was completed, but its answer is no longer available. Read the resource, or its list, to see the change.":
    "La solicitud se completó, pero su respuesta ya no está disponible. Lea el recurso, o su lista, para ver el cambio.",
  "The resource exists already": "El recurso ya existe",
  "The resource is at revision {0} now. Read it again and repeat your change on that revision.":
    "La revisión es ahora {0}. Vuelva a leer el recurso y repita su cambio sobre esa revisión.",
  "The resource was changed in the meantime": "El recurso se ha cambiado entretanto",
  "The resource was changed in the meantime. Read it again and repeat your change on the new revision.":
    "El recurso se ha cambiado entretanto. Vuelva a leerlo y repita su cambio sobre la nueva revisión.",
  "The same request is still running": "La misma solicitud sigue en curso",
  "The service reads other files at the moment. Send the request again.":
    "El servicio está leyendo otros archivos. Vuelva a enviar la solicitud.",
  "The storage is full": "El almacenamiento está lleno",
  "The template cannot be used": "La plantilla no se puede usar",
  "The upload has ended": "La subida ha terminado",
  "The workspace is being moved": "El espacio de trabajo se está moviendo",
  "The workspace is being moved or backed up. Send the request again.":
    "El espacio de trabajo se está moviendo o copiando. Vuelva a enviar la solicitud.",
  "There is no such file.": "Ese archivo no existe.",
  "There is no such route. Find all routes in /openapi.json or /docs.":
    "Esta dirección no existe. Todas están en /openapi.json o /docs.",
  "There is nothing here, or it is not visible to you.": "Aquí no hay nada, o no es visible para usted.",
  "This request has already been completed.": "Esta solicitud ya se ha completado.",
  "This service is not set up completely. Ask its operator to read the log.":
    "Este servicio no está configurado del todo. Pida a su operador que lea el registro.",
  "Too many requests": "Demasiadas solicitudes",
  "Too many requests. Wait for the seconds in Retry-After, then send the request again.":
    "Demasiadas solicitudes. Espere los segundos de Retry-After y vuelva a enviar la solicitud.",
  "You can see this, but your access does not allow what you asked for.":
    "Puede ver esto, pero su acceso no permite lo que ha pedido.",
  "a pixel has a colour that the palette lacks": "un píxel tiene un color que falta en la paleta",
  "is nested too deeply": "está demasiado anidado",
  "it is not a JPEG, PNG or WebP file": "no es un archivo JPEG, PNG o WebP",
  "its data is damaged or of an unsupported kind": "sus datos están dañados o son de un tipo no admitido",
  "its data is damaged: it ends early": "sus datos están dañados: terminan antes de tiempo",
  "its header is cut off": "su cabecera está cortada",
  "may have at most {0} bytes as JSON": "puede tener {0} bytes como máximo en JSON",
  "may have at most {0} keys and items in all": "puede tener {0} claves y elementos como máximo en total",
  "may not have a key named {0}": "no puede tener una clave llamada {0}",
  "may not have a key of more than {0} characters": "no puede tener una clave de más de {0} caracteres",
  "may not have characters that change the direction of writing":
    "no puede tener caracteres que cambien la dirección de escritura",
  "may not have control characters": "no puede tener caracteres de control",
  "may not have lone surrogates": "no puede tener sustitutos sueltos",
  "must be a JSON object": "debe ser un objeto JSON",
  "must be a UUID": "debe ser un UUID",
  "must be a local time such as 07:30": "debe ser una hora local, como 07:30",
  "must be a whole number in decimal digits": "debe ser un número entero en cifras decimales",
  "must be the IANA name of a time zone, such as Europe/Oslo":
    "debe ser el nombre IANA de una zona horaria, como Europe/Oslo",
  "must have a visible character": "debe tener un carácter visible",
  "{0} All tries are used up.": "[0] Se han agotado todos los intentos.",
  "{0} Upload a smaller copy if you need a preview. The file itself is kept.":
    "[0] Suba una copia más pequeña si necesita una vista previa. El propio archivo se conserva.",
};

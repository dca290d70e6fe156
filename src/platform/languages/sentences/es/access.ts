/** Sentences of the service in the language of this folder, by the English sentence. */
export const SENTENCES: Readonly<Record<string, string>> = {
  "Choose a password that is not made of your e-mail address.":
    "Elija una contraseña que no se forme con su dirección de correo.",
  "Many people use this password. Choose one that is hard to guess.":
    "Muchas personas usan esta contraseña. Elija una que sea difícil de adivinar.",
  "Name a time in the future for `expiresAtUtc`, or null.": "Indique en `expiresAtUtc` un momento futuro, o null.",
  "Name only organizations that you have access to.": "Indique solo organizaciones a las que tenga acceso.",
  "No database has room for another workspace. Ask the operator to add one.":
    "Ninguna base de datos tiene espacio para otro espacio de trabajo. Pida al operador que añada una.",
  "Nobody can register here. Ask the operator for an account.":
    "Aquí no se puede registrar nadie. Pida una cuenta al operador.",
  "Only a session can manage credentials. Sign in and use the session's access token.":
    "Solo una sesión puede gestionar credenciales. Inicie sesión y use el token de acceso de la sesión.",
  "Register with the address that this invitation was sent to.":
    "Regístrese con la dirección a la que se envió esta invitación.",
  "Registering needs an invitation. Ask a member to invite you.":
    "Para registrarse hace falta una invitación. Pida a un miembro que le invite.",
  "Send a session's access token or a personal access token as `Authorization: Bearer …`.":
    "Envíe el token de acceso de una sesión o un token de acceso personal en `Authorization: Bearer …`.",
  "Sign in at the issuer again, and send the request with the new token at once.":
    "Vuelva a iniciar sesión en el emisor y envíe enseguida la solicitud con el nuevo token.",
  "The access of this person changes now. Send the request again.":
    "El acceso de esta persona está cambiando. Vuelva a enviar la solicitud.",
  "The account was made in the meantime.": "La cuenta se ha creado entretanto.",
  "The account with this address uses another way to sign in. Use that way, or ask the operator.":
    "La cuenta de esta dirección usa otra forma de iniciar sesión. Úsela o pregunte al operador.",
  "The current password is wrong.": "La contraseña actual es incorrecta.",
  "The e-mail address or the password is wrong.": "La dirección de correo o la contraseña es incorrecta.",
  "The issuer of this credential does not answer. Try again soon.":
    "El emisor de esta credencial no responde. Inténtelo de nuevo pronto.",
  "The password is wrong.": "La contraseña es incorrecta.",
  "The person holds something here.": "La persona todavía tiene acceso aquí.",
  "The regions are: {0}.": "Las regiones son: {0}.",
  "The registration took too long. Open the invitation again.":
    "El registro ha tardado demasiado. Abra de nuevo la invitación.",
  "Only pages of this service get a cookie. Leave out `cookie`: the answer then has the tokens.":
    "Solo las páginas de este servicio reciben una cookie. Omita `cookie`: la respuesta contiene entonces los tokens.",
  "There is an account with this address. Sign in instead.": "Ya existe una cuenta con esta dirección. Inicie sesión.",
  "This credential has expired. Refresh the session, or create a new token.":
    "Esta credencial ha caducado. Renueve la sesión o cree un token nuevo.",
  "This credential is unknown. Sign in again, or create a new token.":
    "Esta credencial es desconocida. Vuelva a iniciar sesión o cree un token nuevo.",
  "This credential was revoked. Sign in again, or create a new token.":
    "Esta credencial se ha revocado. Vuelva a iniciar sesión o cree un token nuevo.",
  "This is for owners and admins of the organization.":
    "Esto está reservado a los propietarios y admins de la organización.",
  "This is for platform administrators. Use a session, or a token without restrictions, of an administrator.":
    "Esto está reservado a los administradores del servicio. Use la sesión de un administrador o su token sin restricciones.",
  "This link was used or has expired. Request a new link on the sign-in page.":
    "Este enlace se ha usado o ha caducado. Solicite uno nuevo en la página de inicio de sesión.",
  "This refresh token belongs to no session. Sign in again.":
    "Este token de renovación no pertenece a ninguna sesión. Vuelva a iniciar sesión.",
  "This refresh token was used before. Sign in again.":
    "Este token de renovación ya se ha usado. Vuelva a iniciar sesión.",
  "This service has no regions. Leave `region` out.": "Este servicio no tiene regiones. Omita `region`.",
  "This session has ended. Sign in again.": "Esta sesión ha terminado. Vuelva a iniciar sesión.",
  "This token is restricted: it lacks {0} of {1}, which you hold. Use a token that has it, or sign in.":
    "Este token está restringido: le falta {0} de {1}, que usted tiene. Use un token que lo tenga o inicie sesión.",
  "The passkey could not be verified, or its request has ended. Try again.":
    "La llave de acceso no se pudo comprobar, o su solicitud ha terminado. Inténtelo de nuevo.",
  "This passkey does not sign in here, or the request has ended. Try again.":
    "Esta llave de acceso no inicia sesión aquí, o la solicitud ha terminado. Inténtelo de nuevo.",
  "You have {0} passkeys. Remove one that you no longer use.": "Tiene {0} llaves de acceso. Quite una que ya no use.",
  "You have {0} tokens. Revoke a token that you no longer use.": "Tiene {0} tokens. Revoque uno que ya no use.",
  "Confirm the sign-in with a passkey or a recovery code.":
    "Confirme el inicio de sesión con una llave de acceso o un código de recuperación.",
  "The sign-in was not confirmed, or it has ended. Enter your password again.":
    "El inicio de sesión no se confirmó, o ha terminado. Escriba de nuevo su contraseña.",
  "Your sign-in asks for a passkey after the password, and this is your last one. Add another one, or switch that off first.":
    "Su inicio de sesión pide una llave de acceso después de la contraseña, y esta es la última. Añada otra, o desactívelo antes.",
  "Add a passkey first.": "Añada antes una llave de acceso.",
  "Your sign-in asks for a passkey after the password already.":
    "Su inicio de sesión ya pide una llave de acceso después de la contraseña.",
  "send either response or recoveryCode": "envíe response o recoveryCode",
  "change at least one field": "cambie al menos un campo",
  "must be an e-mail address": "debe ser una dirección de correo",
  "must have at least {0} characters": "debe tener al menos {0} caracteres",
};

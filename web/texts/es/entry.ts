import type * as first from "../en/entry.ts";

export const SIGN_IN: typeof first.SIGN_IN = {
  title: "Iniciar sesión",
  lead: "en su espacio de documentos",
  email: "Correo electrónico",
  password: "Contraseña",
  passwordHelp: "Al menos 10 caracteres.",
  send: "Iniciar sesión",
  forgot: "¿Olvidó su contraseña?",
  register: "Crear una cuenta",
  invitationHelp: "¿Le invitaron? Abra el enlace de su invitación: allí se une, y después inicia sesión aquí.",
  ended: "Su sesión ha terminado. Inicie sesión de nuevo para continuar.",
  failed: "No ha iniciado sesión",
  aside: "Imagen",
  picture: "Un muelle al anochecer, con las lámparas de la obra encendidas",
};

export const INVITATION: typeof first.INVITATION = {
  title: "Invitación",
  join: (organization) => `Unirse a ${organization}`,
  invited: (role, email) => `Está invitado con el rol de ${role.toLowerCase()}, con la dirección ${email}.`,
  opening: "Abriendo la invitación…",
  isNew: "Soy nuevo aquí",
  isKnown: "Tengo una cuenta",
  account: "Su cuenta",
  name: "Su nombre",
  password: "Su contraseña",
  newPassword: "Contraseña",
  register: "Registrarse y unirse",
  signIn: "Iniciar sesión y unirse",
  accept: "Unirse",
  signedIn: (name) => `Ha iniciado sesión como ${name}.`,
  otherAccount: (email) => `Ha iniciado sesión con la dirección ${email}. Cuando se una, esa sesión termina aquí.`,
  failed: "No se ha unido",
  joined: (organization) => `Es miembro de ${organization}.`,
  open: (organization) => `Abrir ${organization}`,
  ended: "Esta invitación ya no vale.",
  endedHelp: "Se usó o se retiró, o ha caducado. Pida una nueva a la persona que le invitó.",
  incomplete: "Este enlace no está completo.",
  incompleteHelp:
    "Abra el enlace entero, exactamente como lo recibió. Si sigue sin funcionar, pida uno nuevo a la persona que le invitó.",
  unreadable: "No se pudo abrir la invitación.",
};

export const RESET: typeof first.RESET = {
  title: "¿Olvidó su contraseña?",
  lead: "Escriba el correo electrónico de su cuenta. Recibirá un enlace para poner una contraseña nueva.",
  email: "Correo electrónico",
  send: "Enviar el enlace",
  sendFailed: "El enlace no se envió",
  sent: "Mire su correo.",
  sentHelp: (email) =>
    `Si hay una cuenta con ${email}, recibirá un enlace. Funciona una vez, durante una hora. Si no le llega, pida un enlace al operador de este servicio.`,
  set: "Poner una contraseña nueva",
  setLead: "Al menos 10 caracteres. Se cierra la sesión en todos los dispositivos de su cuenta.",
  password: "Contraseña nueva",
  again: "Repita la contraseña",
  differ: "Las dos contraseñas son distintas. Escriba dos veces la misma.",
  save: "Poner la contraseña",
  saveFailed: "La contraseña no se puso",
  done: "Su contraseña está puesta.",
  doneHelp: "Inicie sesión con ella desde ahora.",
  signIn: "Iniciar sesión",
  ended: "Este enlace ha caducado.",
  endedHelp: "Se usó o es demasiado antiguo.",
  newLink: "Pedir un enlace nuevo",
};

export const REGISTER: typeof first.REGISTER = {
  title: "Crear una cuenta",
  lead: "Recibe un espacio personal. Las organizaciones le invitan por su correo electrónico.",
  name: "Su nombre",
  email: "Correo electrónico",
  password: "Contraseña",
  send: "Crear la cuenta",
  known: "Tengo una cuenta",
  failed: "La cuenta no se creó",
};

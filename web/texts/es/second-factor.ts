import type * as first from "../en/second-factor.ts";
import { number } from "./language.ts";

export const SECOND_STEP: typeof first.SECOND_STEP = {
  title: "Confirme que es usted",
  lead: "Su contraseña es correcta. Su cuenta pide también una llave de acceso.",
  passkey: "Usar una llave de acceso",
  passkeyHelp: "Su dispositivo pide la huella, el rostro o el PIN.",
  useCode: "Usar un código de recuperación",
  usePasskey: "Usar una llave de acceso",
  codeLead: "Su contraseña es correcta. Escriba uno de los códigos de recuperación de su cuenta.",
  code: "Código de recuperación",
  codeHelp: "Cada código vale una vez.",
  send: "Iniciar sesión",
  failed: "No ha iniciado sesión",
  back: "Volver",
};

export const SECOND_FACTOR: typeof first.SECOND_FACTOR = {
  title: "Llave de acceso después de la contraseña",
  lead: "Un inicio de sesión con su contraseña pide también una llave de acceso. Así nadie entra con una contraseña robada.",
  off: "Desactivado",
  needs: "Añada antes una llave de acceso.",
  on: "Activado",
  left: (codes) => `Códigos de recuperación que quedan: ${number(codes)}`,
  leftNone: "No quedan códigos de recuperación. Cree otros.",
  switchOn: "Activar",
  switchOnTitle: "¿Pedir una llave de acceso después de la contraseña?",
  switchOnHelp:
    "Sus otras sesiones terminan. Recibe códigos de recuperación para el día en que no lleve ninguna llave.",
  switchOnFailed: "No se activó",
  switchedOn: "Desde ahora, su inicio de sesión pide una llave de acceso.",
  switchOff: "Desactivar",
  switchOffTitle: "¿No pedir nada después de la contraseña?",
  switchOffHelp:
    "Entonces basta la contraseña para iniciar sesión. Los códigos de recuperación dejan de valer. Sus llaves de acceso se quedan.",
  switchOffFailed: "No se desactivó",
  switchedOff: "Desde ahora basta su contraseña para iniciar sesión.",
  renew: "Nuevos códigos de recuperación",
  renewTitle: "¿Crear nuevos códigos de recuperación?",
  renewHelp: "Los códigos que tiene dejan de valer.",
  renewFailed: "No se crearon códigos",
  codesTitle: "Sus códigos de recuperación",
  codesHelp:
    "Cada uno vale una vez en lugar de una llave de acceso. Esta página los muestra solo ahora: guárdelos en un lugar seguro, distinto del de sus llaves.",
  codes: "Códigos de recuperación",
  done: "Los he guardado",
  readFailed: "No se pudo leer el estado",
};

export const REQUIREMENT: typeof first.REQUIREMENT = {
  title: "Inicio de sesión de los miembros",
  lead: "Puede exigir una llave de acceso, o una llave de acceso después de la contraseña. Quien entra solo con la contraseña no ve entonces nada de esta organización. A las personas que no son miembros no se les pide.",
  whom: "Se exige a",
  choices: { none: "Nadie", admins: "Propietarios y administradores", members: "Todos los miembros" },
  save: "Guardar la exigencia",
  saved: "La exigencia está guardada.",
  failed: "La exigencia no se guardó",
  line: (names) => `Oculto hasta que entre con una llave de acceso: ${names}`,
  toPasskeys: "Qué hacer",
  cardTitle: (names) => `Se exige una llave de acceso: ${names}`,
  cardAdd:
    "Ha entrado solo con la contraseña. Añada aquí una llave de acceso. Después cierre la sesión y entre con ella.",
  cardSignIn: "Ha entrado solo con la contraseña. Cierre la sesión y entre con su llave de acceso.",
  signOut: "Cerrar la sesión",
};

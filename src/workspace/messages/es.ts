import { percent, some } from "../../platform/languages/es";
import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  memberNow: "Ya es miembro",
  shared: {
    organization: "Se compartió una organización con usted",
    cluster: "Se compartió un grupo con usted",
    location: "Se compartió un sitio con usted",
    document: "Se compartió un documento con usted",
  },
  storageFull: "El almacenamiento está lleno",
  storageUsed: (hundredths) => `${percent(hundredths / 100)} del almacenamiento está en uso`,
  personalWorkspace: "Espacio personal",
  invitation: (organization, days, link) => ({
    subject: `Invitación a ${organization}`,
    text: `Está invitado a ${organization}.\n\nAbra este enlace antes de ${some(days, "día", "días")} para unirse:\n${link}\n`,
  }),
};

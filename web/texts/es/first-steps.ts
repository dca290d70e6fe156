import type * as first from "../en/first-steps.ts";
import { number } from "./language.ts";

export const FIRST_STEPS: typeof first.FIRST_STEPS = {
  title: (name) => `Primeros pasos de ${name}`,
  progress: (done, all) => `${number(done)} de ${number(all)} hechos`,
  lead: "Cada paso tiene su botón. La tarjeta desaparece cuando los cuatro están hechos.",
  done: "Hecho",
  hide: "Ocultar estos pasos",
  hidden: "Los pasos están ocultos.",
  needsPlace: "Cree primero un sitio.",
  steps: {
    place: {
      title: "Un sitio",
      help: "Una obra, un edificio o un muelle. Todo lo demás pertenece a un sitio.",
      button: "Nuevo sitio",
    },
    documents: {
      title: "Documentos",
      help: "Suelte archivos en la página del sitio. La búsqueda encuentra su texto tras un momento.",
      button: "Añadir documentos",
    },
    people: {
      title: "Personas",
      help: "Los miembros ven la organización. Los invitados solo ven lo que usted comparte con ellos.",
      button: "Añadir una persona",
    },
    camera: {
      title: "Una cámara",
      help: "Envía una imagen cada pocos minutos, y su archivo crece solo.",
      button: "Nueva cámara",
    },
  },
};

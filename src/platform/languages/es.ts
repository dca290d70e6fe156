import { formsOf } from "./forms";

/* Spanish: "20 nov 2026", "8,4 MB". */

export const { number, plural, some, percent, decimal, sizeOf, list, dateFormat, byName } = formsOf("es-ES");

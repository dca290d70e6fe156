import { formsOf } from "./forms";

/* French: "20 nov. 2026", "8,4 Mo". */

export const { number, plural, some, percent, decimal, sizeOf, list, dateFormat, byName } = formsOf("fr-FR");

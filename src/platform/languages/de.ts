import { formsOf } from "./forms";

/* German: "20. Nov. 2026", "8,4 MB". */

export const { number, plural, some, percent, decimal, sizeOf, list, dateFormat, byName } = formsOf("de-DE");

import { decodeHTML } from "entities";

/** Decodes the character references of HTML, named and numeric. */
export const decodeEntities = (text: string): string => (text.includes("&") ? decodeHTML(text) : text);

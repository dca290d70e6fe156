import { decodeHTML } from "entities";

/** Text with HTML's character references (named and numeric) resolved. */
export const decodeEntities = (text: string): string => (text.includes("&") ? decodeHTML(text) : text);

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
  "=": "&#61;",
};

/** A text as HTML, safe between tags and in attribute values, with or without quotes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"'`=]/g, (c) => ESCAPES[c] ?? c);

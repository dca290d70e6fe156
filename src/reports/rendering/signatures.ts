import { escapeHtml } from "../../platform/html";
import type { Labels } from "./labels";

/** The element of a page that gets lines for signatures: `<section data-signatures="Inspector, Client">`. */
export const SIGNATURES = "section[data-signatures]";

/** The most signatures of one element. */
const MAX_SIGNATURES = 24;

/** A part of an attribute as HTML: its characters are still written as they are in the page, such as `&amp;`. */
const shown = (written: string): string => written.trim().replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/**
 * The lines for signatures: name, place, date and signature for each role. `written` is the attribute as it is in the page: roles
 * separated by line breaks, or by commas if there are none, each with a name after a colon if the page prints it, such as
 * `Inspector: Mara Lind, Client`. Without a role, there is one signature.
 */
export function signatureLines(written: string, labels: Labels): string {
  const line = (label: string, value = "", kind = "report-line"): string =>
    `<p class="${kind}"><span>${escapeHtml(label)}</span> <span dir="auto">${value}</span></p>`;
  const signer = (text: string): string => {
    const [role = "", ...name] = text.split(":");
    const lines = [
      line(labels.name, shown(name.join(":"))),
      line(labels.place),
      line(labels.date),
      line(labels.signature, "", "report-line report-sign-here"),
    ];
    const heading = shown(role) === "" ? "" : `<p class="report-role" dir="auto">${shown(role)}</p>`;
    return `<div class="report-signature">${heading}${lines.join("")}</div>`;
  };
  const named = written.split(/[\r\n]/.test(written) ? /[\r\n]+/ : ",").filter((text) => text.trim() !== "");
  const signers = named.length === 0 ? [""] : named.slice(0, MAX_SIGNATURES);
  return `<div class="report-signatures">${signers.map(signer).join("")}</div>`;
}

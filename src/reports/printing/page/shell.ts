import { PAGE_POLICY } from "../../rendering/inert";

/** The empty page that a report is put into: its policy holds before anything of the report is read. */
export const SHELL = `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}"><title></title></head><body></body></html>`;

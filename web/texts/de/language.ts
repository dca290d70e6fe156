export * from "../../../src/platform/languages/de.ts";

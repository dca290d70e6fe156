export * from "../../../src/platform/languages/fr.ts";

export * from "../../../src/platform/languages/es.ts";

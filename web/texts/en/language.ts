export * from "../../../src/platform/languages/en.ts";

import { bundled } from "../support/bundled.ts";

// The pieces import the service's source, which only a bundler resolves.
await bundled("bench/extract/pieces.ts", async () => {});

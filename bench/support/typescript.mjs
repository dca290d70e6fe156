import { existsSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

// Node runs TypeScript but needs complete file names. The project's imports have no extension.
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith(".") && context.parentURL !== undefined)
      for (const ending of [".ts", "/index.ts"]) {
        const url = new URL(specifier + ending, context.parentURL);
        if (existsSync(fileURLToPath(url))) return next(url.href, context);
      }
    return next(specifier, context);
  },
});

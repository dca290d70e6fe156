/** Gives tests in Node what an import of a `.wasm` file gives in workerd: the compiled module. For a project of Vitest. */
export const wasmModules = {
  plugin: {
    name: "wasm-modules",
    enforce: "pre",
    load: (id: string) =>
      id.endsWith(".wasm")
        ? `import { readFileSync } from "node:fs";
export default new WebAssembly.Module(readFileSync(${JSON.stringify(id)}));`
        : undefined,
  },
  /** Vitest leaves packages to Node, which has another idea of these imports. */
  server: { deps: { inline: [/\.wasm$/] } },
} as const;

import { startRuntime } from "./runtime.mjs";

/* The process of a prepared service: `node run-prepared.mjs <options of startRuntime as JSON>`. */

const running = await startRuntime(JSON.parse(process.argv[2]));
process.once("SIGTERM", () => {
  running.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});

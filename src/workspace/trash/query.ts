import { z } from "@hono/zod-openapi";

/** Query of a deletion that may be final. */
export const deletionQuery = z.object({
  purge: z
    .enum(["true", "false"])
    .default("false")
    .transform((text) => text === "true")
    .openapi({
      type: "boolean",
      description: "Removes it at once and for good, also from the trash. For owners alone.",
    }),
});

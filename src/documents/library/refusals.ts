import { z } from "@hono/zod-openapi";
import type { Context } from "../../platform/context";
import { type DomainError, PROBLEMS, type ProblemCode } from "../../platform/errors";
import { sayTo } from "../../platform/languages/reader";

const codes = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

/** Why one change of a request was not made. */
export const refusalSchema = z
  .object({ code: z.enum(codes), detail: z.string() })
  .nullable()
  .openapi({ description: "Why the change was not made. Null if it was." });

export const presentRefusal = (
  context: Context,
  refusal: DomainError | null | undefined,
): z.infer<typeof refusalSchema> =>
  refusal == null ? null : { code: refusal.code, detail: sayTo(context, refusal.detail) };

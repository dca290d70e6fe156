import { z } from "@hono/zod-openapi";

/** Something that is drawn: no space, no control, no filler, nothing that only joins or directs others. */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\u2800]/u;

/** What is wrong with one line as the name of something, or null. Every name is judged here, a file's too. */
export function nameProblem(text: string): string | null {
  if (!text.isWellFormed()) return "may not have lone surrogates";
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) return "may not have control characters";
  return VISIBLE.test(text) ? null : "must have a visible character";
}

/** One line of text that people read, such as a name: 1 to `longest` characters after trimming, one of them visible. */
export const lineSchema = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .superRefine((text, context) => {
      const problem = nameProblem(text);
      if (problem !== null) context.addIssue({ code: "custom", message: problem });
    });

/** Text of several lines, to `longest` characters. */
export const textSchema = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((text) => text.isWellFormed(), "may not have lone surrogates")
    .refine((text) => !/(?![\n\r\t])\p{Cc}/u.test(text), "may not have control characters");

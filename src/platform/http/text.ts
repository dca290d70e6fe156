import { z } from "@hono/zod-openapi";

const NOT_CONTROL = "may not have control characters";

/** One line of text that people read: no control characters, 1 to `longest` characters after trimming. */
export const lineSchema = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .refine((text) => !/\p{Cc}/u.test(text), NOT_CONTROL);

/** Text of several lines, to `longest` characters. */
export const textSchema = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((text) => !/(?![\n\r\t])\p{Cc}/u.test(text), NOT_CONTROL);

import { z } from "@hono/zod-openapi";
import { toUtc, utcSchema } from "../time";
import type { SignedDownload } from "./store";

/** An expiring address of bytes, for callers that accept JSON first. */
export const downloadSchema = z
  .object({ url: z.string(), expiresAtUtc: utcSchema, contentType: z.string(), sizeBytes: z.int() })
  .openapi("DownloadLink");
export type DownloadLink = z.infer<typeof downloadSchema>;

export const presentDownload = (
  { url, expiresAt }: SignedDownload,
  { contentType, sizeBytes }: Pick<DownloadLink, "contentType" | "sizeBytes">,
): DownloadLink => ({ url, expiresAtUtc: toUtc(expiresAt), contentType, sizeBytes });

import { eq } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { uploads } from "../tables";
import type { UploadRow } from "./purpose";

/** The upload with this id, or null. Who may know of it is for its purpose to say. */
export async function findUpload({ db }: Pick<Context, "db">, uploadId: string): Promise<UploadRow | null> {
  const [row] = await db.select().from(uploads).where(eq(uploads.id, uploadId));
  return row ?? null;
}

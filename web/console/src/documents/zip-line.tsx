import { DOCUMENTS } from "#texts/documents.ts";
import { IconButton } from "../../../ui/buttons.tsx";
import { zipping } from "./zip.ts";

/** The ZIP that is being made, with its progress. */
export function ZipLine() {
  const zip = zipping.value;
  if (zip === null) return null;
  const { done, total, stop } = zip;
  return (
    <div class="card pad row wrap folder-progress" role="status">
      <span class="grow">{DOCUMENTS.zipping}</span>
      <progress aria-label={DOCUMENTS.zipping} max={total} value={done} />
      <span class="small muted nums">{DOCUMENTS.zipProgress(done, total)}</span>
      <IconButton icon="x" label={DOCUMENTS.zipStop} onPress={stop} />
    </div>
  );
}

import { DOCUMENTS } from "#texts/documents.ts";
import { IconButton } from "../../../ui/buttons.tsx";
import { changing } from "./bulk.ts";
import { zipping } from "./zip.ts";

interface LineProps {
  label: string;
  stopLabel: string;
  progress: { done: number; total: number; stop: () => void } | null;
}

/** Work with many documents that this tab does, with its progress. */
function Line({ label, stopLabel, progress }: LineProps) {
  if (progress === null) return null;
  const { done, total, stop } = progress;
  return (
    <div class="card pad row wrap folder-progress" role="status">
      <span class="grow">{label}</span>
      <progress aria-label={label} max={total} value={done} />
      <span class="small muted nums">{DOCUMENTS.workProgress(done, total)}</span>
      <IconButton icon="x" label={stopLabel} onPress={stop} />
    </div>
  );
}

/** The ZIP that is being made, and the change of many documents that runs. */
export const WorkLines = () => (
  <>
    <Line label={DOCUMENTS.zipping} stopLabel={DOCUMENTS.zipStop} progress={zipping.value} />
    <Line label={DOCUMENTS.changing} stopLabel={DOCUMENTS.changeStop} progress={changing.value} />
  </>
);

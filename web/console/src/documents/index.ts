export { download } from "./actions.ts";
export { addFiles } from "./uploads.ts";
export { Content } from "./viewer/content.tsx";
export { usePassage } from "./viewer/passage.ts";
export { DocumentsTab } from "./views.ts";

export { detectFormat } from "./detect";
export { objectSource, Unreadable } from "./extracted";
export { type AttachedFile, filesOfMsg, filesOfPdf, readWholeMail } from "./formats";
export { extractDocument, queueExtraction, removeOlderSections } from "./job";
export { type Passage, PassageBuilder } from "./passages";
export { loadVersion, moveToBegin, publishText, writeSections } from "./publish";
export { counted, isNextUnread, nextUnread, removeUnread, type WaitingPages } from "./unread";

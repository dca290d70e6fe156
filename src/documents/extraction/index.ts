export { objectSource } from "./extracted";
export { readWholeMail } from "./formats";
export { extractDocument, queueExtraction, removeOlderSections } from "./job";
export { type Passage, PassageBuilder } from "./passages";
export { loadVersion, moveToBegin, publishText, writeSections } from "./publish";
export { counted, isNextUnread, nextUnread, removeUnread, type WaitingPages } from "./unread";

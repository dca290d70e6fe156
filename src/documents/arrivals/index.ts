export { answerArrival } from "./answers";
export { attachmentsOf, type Content, contentOf } from "./contents";
export { arrivalDeletion, expireArrivals, fileArrival } from "./job";
export { freeNames } from "./names";
export { receiveMail } from "./receive";
export { mayAdd } from "./senders";

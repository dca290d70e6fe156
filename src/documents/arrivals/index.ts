export { answerArrival } from "./answers";
export { arrivalDeletion, expireArrivals, fileArrival } from "./job";
export { receiveMail } from "./receive";

export { openGuardedPage, printPage } from "./print";

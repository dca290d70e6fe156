export { plain, unauthorized, unknownConnection } from "./requests";

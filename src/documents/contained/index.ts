export { takeOutFilesJob } from "./job";

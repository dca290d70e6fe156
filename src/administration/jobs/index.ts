export { jobsStatusSchema, readJobKinds } from "./by-kind";

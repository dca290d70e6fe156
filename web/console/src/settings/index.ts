export { DeletedOrganizations } from "./deleted.tsx";
export { Meter } from "./usage.tsx";

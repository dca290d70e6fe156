export { Meter } from "./usage.tsx";

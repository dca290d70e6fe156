export { loadPartials, partialsOf } from "./load";

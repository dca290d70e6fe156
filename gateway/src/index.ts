export { pair } from "./commands/pair";
export { readCode } from "./commands/secret";
export { Gateway } from "./gateway";
export { Refusal } from "./refusal";
export { settingsSchema } from "./settings";

export { DeviceFacts } from "./device.tsx";
export { percentOf } from "./forecast.ts";
export { knownPlaces, now } from "./live-list.ts";
export { PauseButton } from "./pause-button.tsx";
export { readCamerasAt } from "./read.ts";
export { SettingsPart } from "./settings-part.tsx";
export { default as NewShare } from "./share-form.tsx";
export { stateOf } from "./state.ts";
export { CamerasTab } from "./views.ts";

import type { SourceSettings } from "../settings";
import { openCommand } from "./command";
import { openFolder } from "./folder";
import { openSnapshot } from "./snapshot";
import type { Source } from "./source";

/** The source of a camera's settings. */
export function openSource(settings: SourceSettings): Source {
  switch (settings.type) {
    case "snapshot":
      return openSnapshot(settings);
    case "command":
      return openCommand(settings);
    case "folder":
      return openFolder(settings);
  }
}

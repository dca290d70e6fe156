import { SENTENCES as access } from "./access";
import { SENTENCES as cameras } from "./cameras";
import { SENTENCES as documents } from "./documents";
import { SENTENCES as fields } from "./fields";
import { SENTENCES as platform } from "./platform";
import { SENTENCES as reports } from "./reports";
import { SENTENCES as webhooks } from "./webhooks";
import { SENTENCES as workspace } from "./workspace";

/** All sentences of the service in the language of this folder. */
export const SENTENCES: Readonly<Record<string, string>> = {
  ...access,
  ...cameras,
  ...documents,
  ...fields,
  ...platform,
  ...reports,
  ...webhooks,
  ...workspace,
};

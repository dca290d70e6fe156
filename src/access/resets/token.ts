import type { Context } from "../../context";
import { HOUR } from "../../platform/time";

/** How long a link that resets a password may be used. */
export const RESET_LIFETIME_MS = HOUR;

/** The link that a person opens; the fragment never reaches a server's log. `scripts/admin.mjs` writes the same. */
export const resetLink = ({ settings }: Pick<Context, "settings">, token: string): string =>
  `${settings.PUBLIC_BASE_URL}/password-reset#${token}`;

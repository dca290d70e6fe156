/** The changes that the audit trail of an organization records: what is changed, and how. An action is `noun.verb`. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  annotation: ["deleted"],
  branding: ["updated", "asset-replaced", "asset-deleted"],
  camera: ["created", "updated", "enrollment-created", "paired", "relinked", "revoked", "retired"],
  "camera-export": ["requested"],
  "camera-share": ["created", "updated", "revoked"],
  capture: ["deleted", "retried", "cancelled"],
  cluster: ["deleted", "restored", "purged"],
  document: ["moved", "deleted", "restored", "purged"],
  entitlements: ["changed"],
  folder: ["moved", "deleted", "restored"],
  grant: ["created", "changed", "deleted"],
  invitation: ["created", "accepted", "revoked"],
  location: ["moved", "deleted", "restored", "purged"],
  "mail-address": ["created", "changed", "rotated", "deleted"],
  member: ["added", "changed", "removed", "left"],
  organization: [
    "created",
    "renamed",
    "recognition-changed",
    "sign-in-requirement-changed",
    "move-begun",
    "move-undone",
    "deleted",
    "restored",
    "purged",
  ],
  report: ["deleted", "restored", "purged"],
  "report-partial": ["updated", "deleted"],
  "report-template": ["updated", "deleted", "restored", "purged"],
  tag: ["deleted"],
  webhook: ["created", "changed", "deleted", "disabled", "secret-rotated", "delivery-repeated"],
  "workspace-export": ["requested", "cancelled"],
};

export const ACTIONS: readonly string[] = Object.entries(VERBS).flatMap(([noun, verbs]) =>
  verbs.map((verb) => `${noun}.${verb}`),
);

import { percent, some } from "../../platform/languages/en";

/** The notifications about memberships, shares and storage, and the mails of invitations. */
export const MESSAGES = {
  memberNow: "You are a member now",
  shared: {
    organization: "An organization was shared with you",
    cluster: "A cluster was shared with you",
    location: "A location was shared with you",
    document: "A document was shared with you",
  },
  storageFull: "The storage is full",
  storageUsed: (hundredths: number) => `${percent(hundredths / 100)} of the storage is used`,
  personalWorkspace: "Personal workspace",
  invitation: (organization: string, days: number, link: string) => ({
    subject: `Invitation to ${organization}`,
    text: `You are invited to ${organization}.\n\nOpen this link within ${some(days, "day", "days")} to join:\n${link}\n`,
  }),
};

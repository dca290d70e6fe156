/** The notifications about documents. */
export const MESSAGES = {
  added: "A document was added",
  newVersion: "A document has a new version",
  arrived: (attachments: number) =>
    attachments === 0
      ? "A mail arrived"
      : `A mail arrived with ${attachments} ${attachments === 1 ? "attachment" : "attachments"}`,
};

/** The answer to a mail that was refused, and the reasons as lists show them. */
export const ARRIVALS = {
  subject: (subject: string) => `Your mail was not added: ${subject}`,
  begin: (subject: string) => `Your mail “${subject}” was not added to the documents.`,
  again: "Correct this and send the mail again. This answer was written by a program.",
  whole: "Its attachments could not be read separately. They are in the mail.",
  reasons: {
    "sender-unverified": () =>
      "Its sender could not be verified: the mail failed the check that its domain asks for (DMARC or SPF).",
    "sender-not-allowed": () => "Its sender may not send documents to this address.",
    "person-left": () =>
      "The person who set up this address may not add documents there any more. Ask the people who manage the location.",
    "too-large": (size: string) => `It is larger than ${size}, the limit of this address.`,
    unreadable: () => "It could not be read as a mail.",
    "kind-not-allowed": (named: string) => `This address does not take files such as “${named}”.`,
    "too-many-attachments": (count: string) => `It has more than ${count} attachments.`,
    "storage-full": () => "The storage is full.",
    "location-deleted": () => "The location was deleted.",
  },
};

import type { RecognitionLanguage } from "../../../src/platform/languages/recognition.ts";
import { number, some } from "./language.ts";

/** The texts of the settings. */
export const SETTINGS = {
  title: "Settings",
  parts: "Parts of the settings",
  you: "You",
  labels: {
    profile: "Profile",
    sessions: "Sessions",
    notifications: "Notifications",
    tokens: "Access tokens",
    organization: "Organization",
    members: "Members",
    usage: "Storage and use",
    branding: "Branding",
    searches: "Searches",
    audit: "Audit trail",
    cleanups: "Removed cameras",
  },
  loading: "Reading the settings…",
};

/** The texts of the form for a new organization. */
export const NEW_ORGANIZATION = {
  option: "New organization…",
  title: "New organization",
  name: "Name",
  help: "You become its owner, and you can invite others.",
  send: "Create the organization",
  failed: "The organization was not created",
  done: (name: string) => `${name} is ready. You are its owner.`,
};

/** The texts of a person's own profile. */
export const PROFILE = {
  title: "Profile",
  lead: "Your account in this service.",
  name: "Your name",
  nameHelp: "Other people see this name.",
  email: "E-mail address",
  verified: "Verified",
  unverified: "Not verified. A link that you get by e-mail verifies it.",
  admin: "You are an administrator of the service.",
  save: "Save the name",
  saved: "Your name is saved.",
  saveFailed: "Your name was not saved",
  password: "Password",
  passwordLead: "A new password ends all your other sessions.",
  current: "Current password",
  next: "New password",
  nextHelp: "At least 10 characters.",
  change: "Change the password",
  changed: "Your password is changed. Your other sessions have ended.",
  changeFailed: "The password was not changed",
};

/** The texts of the list of sessions. */
export const SESSIONS = {
  title: "Sessions",
  lead: "The browsers and programs that are signed in to your account.",
  current: "This session",
  device: (browser: string, system: string) => `${browser} on ${system}`,
  browser: "Browser",
  unknownSystem: "an unknown system",
  used: "Last used",
  since: "Signed in",
  methods: { password: "With the password", passkey: "With a passkey" },
  confirmed: { passkey: "With the password and a passkey", "recovery-code": "With the password and a recovery code" },
  kept: "Stays signed in",
  address: "Address",
  end: "End",
  endOf: (device: string) => `End the session of ${device}`,
  ended: (device: string) => `The session of ${device} has ended.`,
  endFailed: "The session was not ended",
  endOthers: "End all others",
  endOthersTitle: "End all other sessions?",
  endOthersHelp: "Everybody who is signed in with your account has to sign in again, except here.",
  othersEnded: "All other sessions have ended.",
  failed: "The sessions could not be read",
  loading: "Reading the sessions…",
};

/** The texts of personal access tokens. */
export const TOKENS = {
  title: "Access tokens",
  lead: "A program uses a token instead of your password. Give it only the access that it needs.",
  create: "New token",
  none: "No access tokens",
  noneHelp: "Create one for a script or another program that calls the API in your name.",
  name: "Name",
  nameHelp: "For example the program that uses it.",
  expiry: "Ends",
  expiries: { "30": "In 30 days", "90": "In 90 days", "365": "In a year", never: "Never" },
  scope: "Organizations",
  everywhere: "All, and your personal workspace",
  only: (name: string) => `Only ${name}`,
  access: "Access",
  accesses: { all: "Everything that you may do", read: "Only reading", some: "Chosen capabilities" },
  levels: "Highest level of each capability",
  send: "Create the token",
  failed: "The token was not created",
  readFailed: "The tokens could not be read",
  madeTitle: "Copy the token now",
  madeHelp: "It is shown only once. Keep it like a password.",
  secret: "The token",
  done: "I have copied it",
  neverUsed: "Never used",
  used: "Last used",
  ends: "Ends",
  noEnd: "No end",
  limits: { all: "Everything", read: "Only reading", some: "Some capabilities" },
  revoke: "Revoke",
  revokeOf: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeHelp: "Programs that use it are refused at once. This cannot be undone.",
  revokeFailed: "The token was not revoked",
  revoked: (name: string) => `“${name}” is revoked.`,
  loading: "Reading the tokens…",
  rename: "Rename",
  renameOf: (name: string) => `Rename ${name}`,
  renameTitle: (name: string) => `Rename “${name}”`,
  renameSend: "Save",
  renameFailed: "The token was not renamed",
  renamed: (name: string) => `The token is “${name}” now.`,
};

/** The texts of an organization's own settings. */
export const ORGANIZATION = {
  title: "Organization",
  lead: (role: string) => `Your role: ${role}.`,
  name: "Name",
  nameHelp: "Members, guests and reports see it.",
  save: "Rename",
  saved: "The organization is renamed.",
  saveFailed: "The organization was not renamed",
  scans: "Text in scans and photos",
  scansOn: "The text of scans and photos is recognized, and search finds it. Each page counts as a job of the month.",
  scansOff: "Scans and photos are found by their names only.",
  scansSwitchOff: "Switch recognition off",
  scansSwitchOn: "Switch recognition on",
  scansSaved: (isOn: boolean): string =>
    isOn ? "Recognition is on. Scans that wait are read now." : "Recognition is off. Text that was recognized stays.",
  scansFailed: "Recognition was not switched",
  scanLanguages: "Languages of scans",
  scanLanguagesHelp: "Choose up to three. Each language takes time of each page.",
  scanLanguagesNone: "Choose at least one language.",
  scanLanguageNames: {
    de: "German",
    en: "English",
    fr: "French",
    es: "Spanish",
    it: "Italian",
    nl: "Dutch",
    pl: "Polish",
    pt: "Portuguese",
  } as Readonly<Record<RecognitionLanguage, string>>,
  scansAgain: "Read the scans again that are recognized already",
  scansAgainHelp: "Each page counts as a job of the month.",
  scanLanguagesSave: "Save the languages",
  scanLanguagesSaved: (isAgain: boolean): string =>
    isAgain ? "The languages are saved. The scans are read again now." : "The languages are saved.",
  scanLanguagesFailed: "The languages were not saved",
  leave: "Leave the organization",
  leaveLead: "You lose access to everything in it that is not shared with you elsewhere.",
  leaveTitle: (name: string) => `Leave ${name}?`,
  leaveHelp: "Only an owner or admin can add you again.",
  leaveFailed: "You are still a member",
  left: (name: string) => `You have left ${name}.`,
  remove: "Delete the organization",
  removeLead:
    "Members, guests, cameras and share links lose access at once. You can restore it during the recovery window. Then everything in it is removed.",
  removeTitle: (name: string) => `Delete ${name}?`,
  removeHelp:
    "Everything in it is hidden from everybody, and its cameras and share links stop. Any owner can restore it under Deleted organizations until its recovery window ends.",
  removeFailed: "The organization was not deleted",
  removed: (name: string) => `${name} is deleted.`,
};

/** The names of roles. */
export const ROLES = { owner: "Owner", admin: "Admin", member: "Member", guest: "Guest" };

/** The names of capabilities and levels. */
export const CAPABILITIES = {
  OrganizationView: "Organization",
  ClusterView: "Clusters",
  LocationView: "Location",
  Documents: "Documents",
  LocationBundles: "Annotations",
  LocationCameras: "Cameras",
  Reports: "Reports",
  ExternalShareLinksCreate: "Create share links",
  ExternalShareLinksManage: "Manage share links",
};
export const LEVELS = { None: "None", Read: "Read", Write: "Write" };

/** The texts of an organization's branding. */
export const BRANDING = {
  title: "Branding",
  lead: "For reports, share links and this console.",
  loading: "Reading the branding…",
  readFailed: "The branding could not be read",
  brandName: "Brand name",
  slogan: "Slogan",
  colours: { primaryColor: "Primary colour", secondaryColor: "Secondary colour", accentColor: "Accent colour" },
  picker: (label: string) => `${label}, picker`,
  colourHelp: "#rrggbb, or empty for none.",
  fit: (ratio: string) => `${ratio} : 1 on white, fit for text`,
  unfit: (ratio: string) => `${ratio} : 1 on white, for areas and lines only`,
  wrong: "Write a colour as #rrggbb.",
  console: {
    both: "The console uses the primary colour as its accent.",
    light: "The console uses the primary colour in the light theme; it has too little contrast in the dark one.",
    dark: "The console uses the primary colour in the dark theme; it has too little contrast in the light one.",
    none: "The console keeps its own accent: the primary colour has less than 4.5 : 1 in both themes.",
  },
  slots: { logo: "Logo", banner: "Banner" },
  onShareLinks: "Show the brand on share links",
  onShareLinksHelp: "Everyone who has a link sees the logo and the name above the cameras.",
  choose: (slot: string) => `Choose a ${slot.toLowerCase()}`,
  replace: (slot: string) => `Replace the ${slot.toLowerCase()}`,
  remove: (slot: string) => `Remove the ${slot.toLowerCase()}`,
  noFile: "PNG, JPEG, WebP or SVG, at most 5 MiB.",
  uploading: "Uploading…",
  uploaded: (slot: string) => `The ${slot.toLowerCase()} is replaced.`,
  removedFile: (slot: string) => `The ${slot.toLowerCase()} is removed.`,
  uploadFailed: "The picture was not replaced",
  removeFailed: "The picture was not removed",
  save: "Save",
  discard: "Discard",
  unsaved: "Changes not saved",
  saved: "The branding is saved.",
  failed: "The branding was not saved",
  sample: "Sample",
  sampleHelp: "The first page of a report with these values.",
  report: { title: "Inspection of the east pier", place: "East pier, Quay street 12", date: "Date", by: "Prepared by" },
};

/** The texts about the use of an organization. */
export const USAGE = {
  title: "Storage and use",
  lead: "What the organization may use, and what it uses now.",
  loading: "Reading the use…",
  failed: "The use could not be read",
  storage: "Storage",
  used: (used: string, all: string) => `${used} of ${all} used`,
  reserved: (size: string) => `${size} are reserved by uploads that have not ended.`,
  useFailed: "What is stored could not be read",
  kinds: "What is stored",
  kindNames: {
    documentBytes: "Documents",
    olderVersionBytes: "Older versions of documents",
    imageBytes: "Camera frames",
    brandingBytes: "Branding",
    trashBytes: "Trash (not counted)",
  },
  exportsHelp: "Exports are made while they are downloaded. They need no storage.",
  forecast: "Forecast",
  forecastNone: "No camera takes pictures now.",
  forecastCameras: (cameras: number, perDay: string) =>
    `${some(cameras, "camera adds", "cameras add")} about ${perDay} a day.`,
  forecastNeeds: (needed: string, share: string) =>
    `When they have run for as long as their frames are kept, the frames need about ${needed}: ${share} of the limit.`,
  forecastEnough: "The storage is enough for what the cameras keep.",
  forecastFull: (days: number) =>
    days === 0
      ? "The storage is full, or will be today."
      : `It reaches the limit in about ${some(days, "day", "days")}.`,
  forecastHelp:
    "Computed from the settings of the cameras and the size of their newest frames. Uploads of documents come on top.",
  jobs: "Jobs this month",
  jobsUsed: (used: string, all: string) => `${used} of ${all}`,
  jobsHelp:
    "Each printed report, each export and each page whose text is recognized is a job. The count begins again with the next month, UTC.",
  allowed: "What the organization may use",
  cameras: "Cameras",
  shares: "Share links",
  retention: "Longest retention of camera frames",
  days: (days: number) => some(days, "day", "days"),
  yes: "Yes",
  no: "No",
  change: "An administrator of the service changes these limits.",
};

/** The texts about the searches of an organization's people. */
export const SEARCHES = {
  title: "Searches",
  lead: "What people of the organization look for, and where they find nothing.",
  loading: "Reading the searches…",
  failed: "The searches could not be read",
  period: "Period",
  days: (days: number) => some(days, "day", "days"),
  total: (searches: number, clicks: number) =>
    `${some(searches, "search", "searches")}, ${number(clicks)} of them led to a result.`,
  rank: (rank: string) => `The opened result is number ${rank} of the list on average.`,
  lists: {
    zeroResults: { title: "Found nothing", help: "Documents with these words are missing, or have other words." },
    neverClicked: { title: "Never opened", help: "There were results, but nobody opened one." },
    mostFrequent: { title: "Most frequent", help: "What people look for most." },
  },
  columns: { term: "Words", searches: "Searches", clicks: "Opened" },
  none: "None in this period.",
};

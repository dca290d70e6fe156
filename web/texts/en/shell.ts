/** The texts of the frame around every page of the console. */
export const SHELL = {
  personal: "Personal workspace",
  mainNavigation: "Main",
  rail: {
    search: "Search",
    locations: "Locations",
    cameras: "Cameras",
    reports: "Reports",
    inbox: "Inbox",
    settings: "Settings",
    admin: "Admin",
    reference: "API",
  },
  account: {
    open: (initials: string, name: string) => `${initials}, account of ${name}`,
    theme: "Appearance",
    themes: { system: "System", light: "Light", dark: "Dark" },
    password: "Change the password",
    signOut: "Sign out",
  },
  organization: "Organization",
  opening: "Opening your workspace…",
  openingFailed: "Your organizations could not be read",
  lost: "There is no such page",
  lostHelp: "Check the address, or go on from your locations.",
};

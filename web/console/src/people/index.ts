export { organizationOf, roleShares, useMayShare } from "./by-role.tsx";
export { ALL_CAPABILITIES, inWords, LevelFields } from "./levels.tsx";
export { InvitePerson, MembersPart } from "./members.tsx";
export { DocumentPeople, PeopleTab } from "./views.ts";
export { WhyNot, WhyNotButton } from "./why-not.tsx";

export { organizationOf, roleShares } from "./by-role.tsx";
export { ALL_CAPABILITIES, inWords, LevelFields } from "./levels.tsx";
export { MembersPart } from "./members.tsx";
export { DocumentPeople, PeopleTab } from "./views.ts";

export { expireSearches, interactionBody, recordImpression, recordInteraction } from "./impressions";
export { insightsQuery, insightsSchema, readInsights } from "./insights";

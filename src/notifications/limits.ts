/** Largest number of notifications in one inbox. The daily clean-up deletes the oldest above it, read or not. */
export const MAX_NOTIFICATIONS_PER_USER = 10_000;
/** Largest number of notifications that one request marks. */
export const MAX_MARKED = 500;

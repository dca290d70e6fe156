/** Largest number of notifications in one inbox. New notifications replace the oldest, read or not. */
export const MAX_NOTIFICATIONS_PER_USER = 10_000;
/** Largest number of notifications that one request marks. */
export const MAX_MARKED = 500;

/** The beginning of a day in the person's clock; `days` later. */
export const dayUtc = (day: string, days = 0): string => {
  const start = new Date(`${day}T00:00`);
  start.setDate(start.getDate() + days);
  return start.toISOString();
};

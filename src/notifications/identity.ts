/** The key of a notification within the inbox of its user, and the event that it shows. */
export interface NotificationKey {
  seq: number;
  eventNo: number;
}

/** Hexadecimal digits of a number below 2^48. */
const digits = (value: number): string => value.toString(16).padStart(12, "0");

const FORM = /^([0-9a-f]{8})-([0-9a-f]{4})-8000-8000-([0-9a-f]{12})$/i;

/** The public id of a notification: a UUID of version 8 that contains its key, so that no row and no index keeps it. */
export function notificationId({ seq, eventNo }: NotificationKey): string {
  const first = digits(seq);
  return `${first.slice(0, 8)}-${first.slice(8)}-8000-8000-${digits(eventNo)}`;
}

/** The key in a public id; null for an id that no notification can have. */
export function notificationKey(id: string): NotificationKey | null {
  const [, high, low, eventNo] = FORM.exec(id) ?? [];
  if (high === undefined || low === undefined || eventNo === undefined) return null;
  return { seq: Number.parseInt(high + low, 16), eventNo: Number.parseInt(eventNo, 16) };
}

/** One live event of a location, before anybody's access is asked. */
export interface LocationEvent {
  target: "DocumentUploaded" | "StateUpdated" | "PositionChanged";
  payload: Record<string, unknown>;
  /** What a connection must hold Read of for this event, at the location or at this document in it. */
  requires: "LocationView" | "LocationBundles" | "LocationCameras" | "Documents" | "Reports";
  documentId: string | null;
}

export interface UserNotifications {
  userId: string;
  notificationIds: string[];
}

/**
 * Live delivery, as features below the hub know it. Everything given is already persisted; whoever
 * may not see it when it is sent does not get it. Failing to reach somebody is no error.
 */
export interface LiveDelivery {
  publish(locationId: string, events: LocationEvent[]): Promise<void>;
  notify(notifications: UserNotifications[]): Promise<void>;
  /** Looks again at what these people's connections may still do. */
  recheckUsers(userIds: string[]): Promise<void>;
  /** Looks again at everybody who joined one of these locations. */
  recheckLocations(locationIds: string[]): Promise<void>;
}

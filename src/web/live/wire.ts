/** What an app is told: a status, an edited one, a notification, or the id of a deleted status. */
export interface LiveEvent {
  name: "update" | "status.update" | "notification" | "delete";
  /** JSON, or an id. */
  data: string;
  /** Name of the stream, and its hashtag or list. */
  stream: readonly string[];
}

/** A connection to an app: server-sent events or a WebSocket. Bounds what is unsent, see decision 21. */
export interface Wire {
  /** Whether all that was written is on its way. */
  readonly isTaken: boolean;
  /** Drops a client with too much unsent. */
  send(event: LiveEvent): void;
  /** To be called every few seconds: keeps the connection open through proxies, and drops clients that are gone. */
  beat(): void;
  /** "over": the token or its user has ended. "moving": the process ends. */
  end(why: "over" | "moving"): void;
}

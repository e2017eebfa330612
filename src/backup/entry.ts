/** One key of Redis. */
export interface Entry {
  key: Buffer;
  /** Milliseconds since 1970; 0: never. */
  expiresAt: number;
  /** As DUMP returns it and RESTORE takes it. */
  value: Buffer;
}

/** A user of a server, as far as a model needs to know it. */
export interface ModelUser {
  readonly isOn: boolean;
  /** SHA-256 of its passwords. Undefined: any will do. */
  readonly hashes: readonly string[] | undefined;
  /** Patterns of keys that it may touch. */
  readonly keys?: readonly string[];
}

/** Where a server is in a stream of writes. */
export interface ModelHistory {
  readonly id: string;
  readonly offset: number;
  readonly secondId: string;
  readonly secondOffset: number;
}

/** What is on a volume: it outlives processes and pods, and goes with its claim. */
export interface ModelDisk {
  /** The ACL file. */
  users: ReadonlyMap<string, ModelUser> | undefined;
  /** The append-only file: all that was written, up to the last write. */
  log: Map<string, string> | undefined;
  /** The snapshot: what there was when it was made. */
  snapshot: { readonly data: ReadonlyMap<string, string>; readonly history: ModelHistory } | undefined;
}

/** A new volume. */
export function emptyDisk(): ModelDisk {
  return { users: undefined, log: undefined, snapshot: undefined };
}

/** As it is now; later changes of the one are not seen on the other. */
export function copyDisk({ users, log, snapshot }: ModelDisk): ModelDisk {
  return { users, log: log === undefined ? undefined : new Map(log), snapshot };
}

/** Whether there is data on it. */
export function hasData({ log, snapshot }: ModelDisk): boolean {
  return log !== undefined || snapshot !== undefined;
}

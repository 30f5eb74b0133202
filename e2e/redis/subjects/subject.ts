import type { ServerAddress } from "../ledger/connection.ts";

/** A server in a pod. */
export interface Server {
  readonly pod: string;
  readonly node: string;
  readonly address: ServerAddress;
}

/** Something that keeps Redis available: our operator, or Sentinel. */
export interface Subject {
  readonly name: string;
  /** Where its clients are told that the primary is. */
  route(signal?: AbortSignal): Promise<ServerAddress>;
  /** Who is primary, as clients are told. */
  primary(): Promise<Server>;
  /** All servers that have an address. */
  servers(): Promise<readonly Server[]>;
  /** Asks for a planned change of the primary. */
  switchover(): Promise<void>;
}

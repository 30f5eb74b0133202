import type { Clock, Logger } from "@kedge/machinery";

/** A certificate and its key, PEM. */
export interface ServingCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Where and how the HTTPS door listens. */
export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly serving: ServingCertificate;
  /** PEM: who signs the certificates of clients. Others may come without one, and show a token. */
  readonly clientAuthority: string;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
}

/** The HTTPS door, open. */
export interface HttpsDoor {
  readonly port: number;
  /** Shows another certificate from now on. */
  renew(serving: ServingCertificate): void;
  /** Takes no more requests, ends watches and streams, and gives the others a moment to finish. */
  close(): Promise<void>;
}

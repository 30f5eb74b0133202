import type { Clock, Random } from "@kedge/machinery";
import type { CertificateRequest } from "./certificate-request.ts";

/** A certificate and its private key, both PEM; the key as PKCS #8. */
export interface CertificateWithKey {
  readonly certificate: string;
  readonly key: string;
}

/** Where time and chance come from. Keys do not: they are made by WebCrypto, which takes no seed. */
export interface PkiOptions {
  /** Validity begins at its time; every step that leaves the event loop is announced to it. */
  readonly clock: Clock;
  /** Gives serial numbers. */
  readonly random: Random;
}

/** A certificate that a server shows. */
export interface ServingRequest {
  /** Common name: who it is, for people. Nobody checks it; `hosts` are what clients check. */
  readonly name: string;
  /** DNS names (`*.example.org` for one label of any name) and IP addresses that clients reach the server by. */
  readonly hosts: readonly string[];
  /** Milliseconds; it never outlives its authority. Default: a year. */
  readonly lifetime?: number;
}

/** A certificate that a client shows. To Kubernetes the common name is the user, each organization a group. */
export interface ClientRequest {
  readonly user: string;
  readonly groups?: readonly string[];
  /** Milliseconds; it never outlives its authority. Default: a year. */
  readonly lifetime?: number;
}

/** A certificate for a key that somebody else has. */
export interface SigningRequest {
  /** What was asked for: name, addresses and key are taken over. */
  readonly request: CertificateRequest;
  /** What it is good for, in Kubernetes' words: `client auth`, `digital signature`. */
  readonly usages: readonly string[];
  /** Milliseconds; it never outlives its authority. */
  readonly lifetime: number;
}

/** Signs certificates. Whoever trusts its `certificate` trusts them. */
export interface Authority extends CertificateWithKey {
  issueServing(request: ServingRequest): Promise<CertificateWithKey>;
  issueClient(request: ClientRequest): Promise<CertificateWithKey>;
  /** Signs what somebody else has asked for, and gives the certificate as PEM. Throws for a key or usage it does not know. */
  sign(request: SigningRequest): Promise<string>;
}

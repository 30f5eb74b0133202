export { createAuthority, loadAuthority, type AuthorityRequest } from "./authority.ts";
export { bundleOf, certificatesIn } from "./bundle.ts";
export { parseCertificateRequest, type CertificateRequest } from "./certificate-request.ts";
export { createSigningKey } from "./keys.ts";
export { PkiError } from "./pki-error.ts";
export { needsRenewal, renewalTime } from "./renewal.ts";
export type {
  Authority,
  CertificateWithKey,
  ClientRequest,
  PkiOptions,
  ServingRequest,
  SigningRequest,
} from "./types.ts";

import type { CertificateWithKey } from "@kedge/pki";

/** Where the control plane is, and what a node on its machine serves with. */
export interface ServerPlace {
  readonly kubeconfig: string;
  /** A folder that goes with the control plane. */
  readonly folder: string;
  readonly serving: CertificateWithKey;
  /** PEM. */
  readonly clientAuthority: string;
}

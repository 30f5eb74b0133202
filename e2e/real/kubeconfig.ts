import type { CertificateWithKey } from "@kedge/pki";

/** Who, and where to. */
export interface KubeconfigContents {
  readonly url: string;
  readonly ca: string;
  readonly user: CertificateWithKey;
}

/** A kubeconfig with one context and nothing outside of it, as JSON, which is YAML too. */
export function kubeconfigText({ url, ca, user }: KubeconfigContents): string {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "oracle",
    clusters: [{ name: "oracle", cluster: { server: url, "certificate-authority-data": base64(ca) } }],
    users: [
      {
        name: "oracle",
        user: { "client-certificate-data": base64(user.certificate), "client-key-data": base64(user.key) },
      },
    ],
    contexts: [{ name: "oracle", context: { cluster: "oracle", user: "oracle" } }],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

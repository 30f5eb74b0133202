import type { CertificateWithKey } from "@kedge/pki";

/** Who, and where to. */
export interface KubeconfigContents {
  readonly url: string;
  readonly ca: string;
  readonly user: CertificateWithKey | { readonly token: string };
  /** The name in the server's certificate, where it is reached by another. */
  readonly serverName?: string;
}

/** A kubeconfig with one context and nothing outside of it, as JSON, which is YAML too. */
export function kubeconfigText({ url, ca, user, serverName }: KubeconfigContents): string {
  const cluster = {
    server: url,
    "certificate-authority-data": base64(ca),
    ...(serverName !== undefined && { "tls-server-name": serverName }),
  };
  const credentials =
    "token" in user
      ? { token: user.token }
      : { "client-certificate-data": base64(user.certificate), "client-key-data": base64(user.key) };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "oracle",
    clusters: [{ name: "oracle", cluster }],
    users: [{ name: "oracle", user: credentials }],
    contexts: [{ name: "oracle", context: { cluster: "oracle", user: "oracle" } }],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

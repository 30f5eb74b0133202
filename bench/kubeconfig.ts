/** What a client needs to be let in by one server. */
export interface Access {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  readonly identity: { readonly certificate: string; readonly key: string };
}

/** A kubeconfig with one context. */
export function kubeconfigText({ url, authority, identity }: Access): string {
  const data = (text: string): string => Buffer.from(text).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "a", cluster: { server: url, "certificate-authority-data": data(authority) } }],
    users: [
      {
        name: "a",
        user: {
          "client-certificate-data": data(identity.certificate),
          "client-key-data": data(identity.key),
        },
      },
    ],
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    "current-context": "a",
  });
}

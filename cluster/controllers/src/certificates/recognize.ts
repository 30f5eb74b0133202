import type { CertificateRequest } from "@kedge/pki";

/** Signers that this cluster has. */
export const signers = {
  client: "kubernetes.io/kube-apiserver-client",
  kubeletClient: "kubernetes.io/kube-apiserver-client-kubelet",
  kubeletServing: "kubernetes.io/kubelet-serving",
} as const;

/** Why a request is not one that a signer signs; undefined when it is. */
export function refusalBy(
  signer: string,
  request: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  switch (signer) {
    case signers.client:
      return clientRefusal(request, usages);
    case signers.kubeletClient:
      return kubeletClientRefusal(request, usages);
    case signers.kubeletServing:
      return kubeletServingRefusal(request, usages);
    default:
      return `no signer ${JSON.stringify(signer)} is here`;
  }
}

const ofClients: ReadonlySet<string> = new Set(["digital signature", "key encipherment", "client auth"]);

/** Admission refuses admins already; who signs does not rely on that. */
function clientRefusal({ organizations }: CertificateRequest, usages: readonly string[]): string | undefined {
  if (organizations.includes("system:masters"))
    return `use of ${signers.client} signer with system:masters group is not allowed`;
  const other = usages.find((usage) => !ofClients.has(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes("client auth")
    ? undefined
    : 'missing required usage for client certificate: "client auth"';
}

/** Whether a node's agent could ask for it, to be known by the API server. */
export function kubeletClientRefusal(
  request: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  if (!isOfNodes(request)) return "subject organization is not system:nodes";
  if (request.dnsNames.length > 0) return "DNS subjectAltNames are not allowed";
  if (request.emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (request.ipAddresses.length > 0) return "IP subjectAltNames are not allowed";
  if (request.uris.length > 0) return "URI subjectAltNames are not allowed";
  if (!isNamedNode(request)) return "subject common name does not begin with system:node:";
  return usagesRefusal(usages, "client auth");
}

function kubeletServingRefusal(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return "subject organization is not system:nodes";
  if (request.dnsNames.length === 0 && request.ipAddresses.length === 0)
    return "DNS or IP subjectAltName is required";
  if (request.emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (request.uris.length > 0) return "URI subjectAltNames are not allowed";
  const refused = usagesRefusal(usages, "server auth");
  if (refused !== undefined) return refused;
  return isNamedNode(request) ? undefined : "subject common name does not begin with system:node:";
}

function isOfNodes({ organizations }: CertificateRequest): boolean {
  return organizations.length === 1 && organizations[0] === "system:nodes";
}

function isNamedNode({ commonName }: CertificateRequest): boolean {
  return commonName.startsWith("system:node:");
}

/** Keys of RSA also encipher. */
function usagesRefusal(usages: readonly string[], purpose: string): string | undefined {
  const wanted = new Set(usages);
  const needed = ["digital signature", purpose];
  const isRight =
    needed.every((usage) => wanted.has(usage)) &&
    [...wanted].every((usage) => needed.includes(usage) || usage === "key encipherment");
  const all = [...needed, "key encipherment"].toSorted();
  return isRight ? undefined : `usages did not match [${all.join(" ")}]`;
}

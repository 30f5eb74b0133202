import { generateKeyPair } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { realClock, realRandom } from "@kedge/machinery";
import { createAuthority, type Authority, type CertificateWithKey } from "@kedge/pki";
import { kubeconfigText } from "./kubeconfig.ts";

/** Throw-away keys and certificates of one oracle, before any of them is in a file. */
export interface Credentials {
  readonly ca: Authority;
  readonly admin: CertificateWithKey;
  /** Of the API server. */
  readonly serving: CertificateWithKey;
  /** What the API server shows servers behind APIServices, and who signed it: PEM. */
  readonly frontProxy: {
    readonly authority: string;
    readonly client: CertificateWithKey;
    readonly name: string;
  };
  /** Signs tokens of service accounts. PEM. */
  readonly serviceAccountKey: string;
  /** Contents of the files that the components are pointed to, by name. */
  readonly files: Readonly<Record<string, string>>;
}

const pki = { clock: realClock, random: realRandom };

/** Names and addresses by which the API server is reached: from this machine, and as pods would. */
const apiserverHosts = [
  "127.0.0.1",
  "localhost",
  "10.96.0.1",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

/** Makes all that a control plane needs, as kubeadm would. */
export async function createCredentials(): Promise<Credentials> {
  const [ca, frontProxyCa, serviceAccount] = await Promise.all([
    createAuthority({ name: "kubernetes", ...pki }),
    createAuthority({ name: "kubernetes-front-proxy-ca", ...pki }),
    promisify(generateKeyPair)("rsa", { modulusLength: 2048 }),
  ]);
  const [admin, serving, kubelet, frontProxy] = await Promise.all([
    ca.issueClient({ user: "kubernetes-admin", groups: ["system:masters"] }),
    ca.issueServing({ name: "kube-apiserver", hosts: apiserverHosts }),
    ca.issueClient({ user: "kube-apiserver-kubelet-client", groups: ["kubeadm:cluster-admins"] }),
    frontProxyCa.issueClient({ user: "front-proxy-client" }),
  ]);
  const serviceAccountKey = serviceAccount.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return {
    ca,
    admin,
    serving,
    frontProxy: { authority: frontProxyCa.certificate, client: frontProxy, name: "front-proxy-client" },
    serviceAccountKey,
    files: {
      ...pair("ca", ca),
      ...pair("serving", serving),
      ...pair("kubelet-client", kubelet),
      ...pair("front-proxy-client", frontProxy),
      "front-proxy-ca.crt": frontProxyCa.certificate,
      "sa.key": serviceAccountKey,
      "sa.pub": serviceAccount.publicKey.export({ type: "spki", format: "pem" }).toString(),
    },
  };
}

/** Writes files that only we may read. */
export async function writePrivateFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const write = ([name, text]: readonly [string, string]) =>
    writeFile(join(folder, name), text, { mode: 0o600 });
  await Promise.all(Object.entries(files).map(write));
}

/** The kubeconfig of a component, which is a user like any other. */
export async function componentKubeconfig(ca: Authority, url: string, user: string): Promise<string> {
  return kubeconfigText({ url, ca: ca.certificate, user: await ca.issueClient({ user }) });
}

function pair(name: string, { certificate, key }: CertificateWithKey): Record<string, string> {
  return { [`${name}.crt`]: certificate, [`${name}.key`]: key };
}

import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmod, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasCode, type Clock, type Random } from "@kedge/machinery";
import { writeWhole } from "@kedge/network/write-whole";
import {
  createAuthority,
  loadAuthority,
  needsRenewal,
  type Authority,
  type CertificateWithKey,
} from "@kedge/pki";
import { stringify } from "yaml";
import type { ClusterFolder } from "./cluster-folder.ts";

/** What a cluster's programs show each other. */
export interface ClusterCertificates {
  readonly authority: string;
  /** The API server's, for whoever connects. */
  readonly server: CertificateWithKey;
  /** The API server's, for the nodes. */
  readonly toNodes: CertificateWithKey;
  /** The node's, for the API server. */
  readonly node: CertificateWithKey;
}

/** What certificates are made with. */
export interface CertificateOptions {
  readonly folder: ClusterFolder;
  readonly clock: Clock;
  readonly random: Random;
  /** The node's own name and address. */
  readonly node: { readonly name: string; readonly address: string };
  /** The first address of the services: `kubernetes.default`. */
  readonly serviceAddress: string;
}

/** As whom the API server comes to the nodes: the only one they let in. */
export const userToNodes = "kube-apiserver-kubelet-client";

/** Who gets a kubeconfig: its file, user and groups. RBAC is yet to come, so all of them may do everything. */
const users = {
  admin: { user: "kubernetes-admin", groups: ["kedge:cluster-admins", "system:masters"] },
  node: { user: "system:node:kedge", groups: ["system:nodes", "system:masters"] },
  operator: {
    user: "system:serviceaccount:operator-system:operator-controller-manager",
    groups: ["system:masters"],
  },
};

/** Makes what is missing or about to run out, and reads the rest. */
export async function ensureCertificates(options: CertificateOptions): Promise<ClusterCertificates> {
  const { folder, clock, random } = options;
  await mkdir(folder.certificates, { recursive: true });
  await chmod(folder.certificates, 0o700);
  const kept = await readPair(folder, "authority");
  const fresh = kept !== undefined && belongTogether(kept) && !needsRenewal(kept.certificate, clock);
  const authority = fresh
    ? await loadAuthority(kept, { clock, random })
    : await createAuthority({ name: "kedge", clock, random });
  if (!fresh) await writePair(folder, "authority", authority);
  const issue = (name: string, make: (authority: Authority) => Promise<CertificateWithKey>) =>
    ensurePair({ ...options, authority, reuse: fresh }, name, make);
  const hosts = [
    "127.0.0.1",
    "localhost",
    options.serviceAddress,
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
  ];
  const { name, address } = options.node;
  for (const [file, user] of Object.entries(users)) await issue(file, (signer) => signer.issueClient(user));
  return {
    authority: authority.certificate,
    server: await issue("server", (signer) => signer.issueServing({ name: "kube-apiserver", hosts })),
    toNodes: await issue("server-to-nodes", (signer) =>
      signer.issueClient({ user: userToNodes, groups: ["kubeadm:cluster-admins"] }),
    ),
    node: await issue("node-serving", (signer) =>
      signer.issueServing({ name: `system:node:${name}`, hosts: [name, address, "127.0.0.1"] }),
    ),
  };
}

/** Reads what `ensureCertificates` made. */
export async function readCertificates(folder: ClusterFolder): Promise<ClusterCertificates> {
  const pair = async (name: string): Promise<CertificateWithKey> => {
    const found = await readPair(folder, name);
    if (found === undefined)
      throw new Error(`${folder.certificates}: the certificate ${name} is missing; run \`kedge up\``);
    return found;
  };
  const { certificate: authority } = await pair("authority");
  return {
    authority,
    server: await pair("server"),
    toNodes: await pair("server-to-nodes"),
    node: await pair("node-serving"),
  };
}

/** Where a program's kubeconfig is. */
export function kubeconfigOf(folder: ClusterFolder, user: keyof typeof users): string {
  return user === "admin" ? folder.kubeconfig : join(folder.certificates, `${user}.kubeconfig`);
}

/** Writes the kubeconfigs for a server's address. */
export async function writeKubeconfigs(folder: ClusterFolder, server: string): Promise<void> {
  const authority = await readPair(folder, "authority");
  for (const user of ["admin", "node", "operator"] as const) {
    const pair = await readPair(folder, user);
    if (authority === undefined || pair === undefined)
      throw new Error(`${folder.certificates} is incomplete`);
    const text = kubeconfigText({ server, authority: authority.certificate, user: users[user].user, pair });
    await writeWhole(kubeconfigOf(folder, user), text, { mode: 0o600 });
  }
}

interface KubeconfigParts {
  readonly server: string;
  readonly authority: string;
  readonly user: string;
  readonly pair: CertificateWithKey;
}

function kubeconfigText({ server, authority, user, pair }: KubeconfigParts): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "kedge", cluster: { server, "certificate-authority-data": data(authority) } }],
    users: [
      {
        name: user,
        user: { "client-certificate-data": data(pair.certificate), "client-key-data": data(pair.key) },
      },
    ],
    contexts: [{ name: "kedge", context: { cluster: "kedge", user, namespace: "default" } }],
    "current-context": "kedge",
  });
}

function data(text: string): string {
  return Buffer.from(text).toString("base64");
}

interface Issuing extends CertificateOptions {
  readonly authority: Authority;
  /** Whether certificates of an earlier start are of this authority. */
  readonly reuse: boolean;
}

async function ensurePair(
  { folder, clock, authority, reuse }: Issuing,
  name: string,
  make: (authority: Authority) => Promise<CertificateWithKey>,
): Promise<CertificateWithKey> {
  const kept = reuse ? await readPair(folder, name) : undefined;
  const good = kept !== undefined && belongTogether(kept) && isIssuedBy(kept, authority);
  if (good && !needsRenewal(kept.certificate, clock)) return kept;
  const pair = await make(authority);
  await writePair(folder, name, pair);
  return pair;
}

/** A renewal that was cut off leaves the key of one certificate with another, or a certificate of an old authority. */
function belongTogether({ certificate, key }: CertificateWithKey): boolean {
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
}

function isIssuedBy({ certificate }: CertificateWithKey, authority: Authority): boolean {
  return new X509Certificate(certificate).verify(new X509Certificate(authority.certificate).publicKey);
}

/** Undefined when there is none, or only a half of one. */
async function readPair(folder: ClusterFolder, name: string): Promise<CertificateWithKey | undefined> {
  const [certificate, key] = await Promise.all(
    ["crt", "key"].map((ending) => readPem(join(folder.certificates, `${name}.${ending}`))),
  );
  return certificate === undefined || key === undefined ? undefined : { certificate, key };
}

async function readPem(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  });
  if (text === undefined || isPem(text)) return text;
  throw new Error(
    `${path} is damaged. Put it back, or delete the folder ${dirname(path)}: \`kedge up\` makes new certificates, ` +
      `and kubeconfigs that were copied elsewhere must be copied again.`,
  );
}

function isPem(text: string): boolean {
  try {
    return text.includes("PRIVATE KEY")
      ? createPrivateKey(text).type === "private"
      : new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}

async function writePair(folder: ClusterFolder, name: string, pair: CertificateWithKey): Promise<void> {
  await writeWhole(join(folder.certificates, `${name}.key`), pair.key, { mode: 0o600 });
  await writeWhole(join(folder.certificates, `${name}.crt`), pair.certificate);
}

import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmod, mkdir } from "node:fs/promises";
import { isIP } from "node:net";
import { dirname } from "node:path";
import type { Clock, Random } from "@kedge/machinery";
import {
  createAuthority,
  createSigningKey,
  loadAuthority,
  needsRenewal,
  type Authority,
  type CertificateWithKey,
} from "@kedge/pki";
import {
  certificateOf,
  fileOf,
  keyOf,
  pairOf,
  readKey,
  readPair,
  writeKey,
  writePair,
} from "./certificate-files.ts";
import type { ClusterFolder } from "./cluster-folder.ts";
import { clientFile, identityOf, usersOf, type Identity } from "./kubeconfigs.ts";
import { nodeAddress, type NodeSettings } from "./node-settings.ts";

/** What the API server shows others, and knows them by. */
export interface ServerCertificates {
  readonly authority: string;
  /** The authority with its key, for who signs. */
  readonly signer: CertificateWithKey;
  /** For whoever connects. */
  readonly server: CertificateWithKey;
  /** For the nodes. */
  readonly toNodes: CertificateWithKey;
  /** For servers behind APIServices: who may speak for users, and the authority that says so. */
  readonly frontProxy: {
    readonly authority: string;
    readonly client: CertificateWithKey;
    readonly name: string;
  };
  /** Signs the tokens of service accounts. */
  readonly serviceAccountKey: string;
}

/** What a node's agent shows the API server, and knows it by. */
export interface NodeCertificates {
  readonly authority: string;
  readonly serving: CertificateWithKey;
}

/** What certificates are made with. */
export interface CertificateOptions {
  readonly folder: ClusterFolder;
  readonly clock: Clock;
  readonly random: Random;
  readonly nodes: readonly NodeSettings[];
  /** Where the API server is reached, beside 127.0.0.1: by nodes and pods, and as `kubernetes.default`. */
  readonly serverAddresses: readonly string[];
}

/** As whom the API server comes to the nodes: the only one they let in. */
export const userToNodes = "kube-apiserver-kubelet-client";

/** As whom it comes to servers behind APIServices: whoever has a certificate of this name speaks for all users there. */
const frontProxyUser = "front-proxy-client";

/** Makes what is missing or about to run out. */
export async function ensureCertificates(options: CertificateOptions): Promise<void> {
  const { folder, nodes } = options;
  for (const path of [
    folder.certificates,
    ...nodes.map(({ name }) => dirname(fileOf(folder, servingFile(name)))),
  ]) {
    await mkdir(path, { recursive: true });
    await chmod(path, 0o700);
  }
  const [main, front] = await Promise.all([
    ensureAuthority(options, "authority", "kedge"),
    // Another one: a certificate of a user must never do for the front proxy's.
    ensureAuthority(options, frontAuthorityFile, "kedge-front-proxy"),
  ]);
  const issue = (
    name: string,
    make: (authority: Authority) => Promise<CertificateWithKey>,
    { hosts = [], identity }: { hosts?: readonly string[]; identity?: Identity } = {},
  ) => ensurePair({ ...options, ...main, hosts, identity }, name, make);
  const hosts = [
    "127.0.0.1",
    "localhost",
    ...options.serverAddresses,
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
  ];
  // Keys are made in threads, and files are synced: all at once takes as long as one.
  await Promise.all([
    ensureServiceAccountKey(options),
    issue("server", (signer) => signer.issueServing({ name: "kube-apiserver", hosts }), { hosts }),
    issue("server-to-nodes", (signer) =>
      signer.issueClient({ user: userToNodes, groups: ["kubeadm:cluster-admins"] }),
    ),
    ensurePair({ ...options, ...front, hosts: [], identity: undefined }, frontProxyUser, (signer) =>
      signer.issueClient({ user: frontProxyUser, groups: [] }),
    ),
    ...usersOf(nodes).map((user) => {
      const identity = identityOf(user);
      return issue(clientFile(user), (signer) => signer.issueClient(identity), { identity });
    }),
    ...nodes.map((node) =>
      issue(servingFile(node.name), (signer) =>
        signer.issueServing({
          name: `system:node:${node.name}`,
          hosts: [node.name, nodeAddress(node), "127.0.0.1"],
        }),
      ),
    ),
  ]);
}

const frontAuthorityFile = "front-proxy-authority";

/** The authority that is kept, or a new one: then nothing of the old one is good any more. */
async function ensureAuthority(
  { folder, clock, random }: CertificateOptions,
  file: string,
  name: string,
): Promise<Pick<Issuing, "authority" | "reuse">> {
  const kept = await readPair(folder, file);
  if (kept !== undefined && belongTogether(kept) && !needsRenewal(kept.certificate, clock))
    return { authority: await loadAuthority(kept, { clock, random }), reuse: true };
  const authority = await createAuthority({ name, clock, random });
  await writePair(folder, file, authority);
  return { authority, reuse: false };
}

const serviceAccountFile = "service-accounts";

/** It has no certificate that could run out: tokens outlive a renewed authority. */
async function ensureServiceAccountKey({ folder, clock }: CertificateOptions): Promise<void> {
  if ((await readKey(folder, serviceAccountFile)) !== undefined) return;
  await writeKey(folder, serviceAccountFile, await createSigningKey(clock));
}

/** Reads what `ensureCertificates` made for the API server. */
export async function readServerCertificates(folder: ClusterFolder): Promise<ServerCertificates> {
  const authority = await certificateOf(folder, "authority");
  const [server, toNodes] = [await pairOf(folder, "server"), await pairOf(folder, "server-to-nodes")];
  const signer = await pairOf(folder, "authority");
  const serviceAccountKey = await keyOf(folder, serviceAccountFile);
  const frontProxy = {
    authority: await certificateOf(folder, frontAuthorityFile),
    client: await pairOf(folder, frontProxyUser),
    name: frontProxyUser,
  };
  return { authority, signer, server, toNodes, frontProxy, serviceAccountKey };
}

/** Reads what `ensureCertificates` made for a node. */
export async function readNodeCertificates(folder: ClusterFolder, node: string): Promise<NodeCertificates> {
  const authority = await certificateOf(folder, "authority");
  return { authority, serving: await pairOf(folder, servingFile(node)) };
}

interface Issuing extends CertificateOptions {
  readonly authority: Authority;
  /** Whether certificates of an earlier start are of this authority. */
  readonly reuse: boolean;
  /** What it must be good for. */
  readonly hosts: readonly string[];
  /** Whom it must be of. */
  readonly identity: Identity | undefined;
}

async function ensurePair(
  { folder, clock, authority, reuse, hosts, identity }: Issuing,
  name: string,
  make: (authority: Authority) => Promise<CertificateWithKey>,
): Promise<CertificateWithKey> {
  const kept = reuse ? await readPair(folder, name) : undefined;
  const good =
    kept !== undefined &&
    belongTogether(kept) &&
    isIssuedBy(kept, authority) &&
    isFor(kept, hosts) &&
    isOf(kept, identity);
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

/** The cluster may have got an address since it was made. */
function isFor({ certificate }: CertificateWithKey, hosts: readonly string[]): boolean {
  const known = new X509Certificate(certificate);
  return hosts.every(
    (host) => (isIP(host) === 0 ? known.checkHost(host) : known.checkIP(host)) !== undefined,
  );
}

/** An earlier version may have given its user other groups. */
function isOf({ certificate }: CertificateWithKey, identity: Identity | undefined): boolean {
  if (identity === undefined) return true;
  const parts = new X509Certificate(certificate).subject.split("\n");
  const wanted = [`CN=${identity.user}`, ...identity.groups.map((group) => `O=${group}`)];
  return parts.length === wanted.length && wanted.every((part) => parts.includes(part));
}

function servingFile(node: string): string {
  return `nodes/${node}/serving`;
}

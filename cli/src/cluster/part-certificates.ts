import type { CertificateWithKey } from "@kedge/pki";
import { certificateOf, keyOf, pairOf } from "./certificate-files.ts";
import type { ClusterFolder } from "./cluster-folder.ts";

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

/** As whom the API server comes to the nodes: the only one they let in. */
export const userToNodes = "kube-apiserver-kubelet-client";

/** As whom it comes to servers behind APIServices: whoever has a certificate of this name speaks for all users there. */
export const frontProxyUser = "front-proxy-client";

/** The file of the authority that says who that is. */
export const frontAuthorityFile = "front-proxy-authority";

/** The file of the key that signs tokens. */
export const serviceAccountFile = "service-accounts";

/** The file of what a node shows who connects. */
export function servingFile(node: string): string {
  return `nodes/${node}/serving`;
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

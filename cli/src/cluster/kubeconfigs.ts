import { writeWhole } from "@kedge/network/write-whole";
import type { CertificateWithKey } from "@kedge/pki";
import { certificateOf, fileOf, pairOf } from "./certificate-files.ts";
import type { ClusterFolder } from "./cluster-folder.ts";
import type { NodeSettings } from "./node-settings.ts";
import { simulatedNodes } from "./simulated-cluster.ts";

/** Who gets a kubeconfig: `servicesOf` is what runs beside a node's agent, its proxy, DNS, policies and volumes. */
export type KubeconfigUser =
  | "admin"
  | "operator"
  | { readonly node: string }
  | { readonly servicesOf: string };

/** Who somebody is to the API server. */
export interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
}

/** Who a user is; what each may do is in `own-roles.ts`. */
export function identityOf(user: KubeconfigUser): Identity {
  if (user === "admin")
    return { user: "kubernetes-admin", groups: ["kedge:cluster-admins", "system:masters"] };
  if (user === "operator") {
    // As they would be in a pod of their Deployment.
    const accounts = "system:serviceaccounts";
    return {
      user: "system:serviceaccount:operator-system:operator-controller-manager",
      groups: [accounts, `${accounts}:operator-system`],
    };
  }
  if ("servicesOf" in user)
    return { user: `kedge:node-services:${user.servicesOf}`, groups: ["kedge:node-services"] };
  if (user.node === simulatedNodes)
    return { user: "kedge:simulated-nodes", groups: ["kedge:simulated-nodes"] };
  return { user: `system:node:${user.node}`, groups: ["system:nodes"] };
}

/** All who get one. */
export function usersOf(nodes: readonly NodeSettings[]): readonly KubeconfigUser[] {
  return ["admin", "operator", ...nodes.flatMap(({ name }) => [{ node: name }, { servicesOf: name }])];
}

/** Where a user's key, certificate and kubeconfig are, without the ending. */
export function clientFile(user: KubeconfigUser): string {
  if (typeof user === "string") return user;
  return "node" in user ? `nodes/${user.node}/client` : `nodes/${user.servicesOf}/services`;
}

/** Where a program's kubeconfig is. */
export function kubeconfigOf(folder: ClusterFolder, user: KubeconfigUser): string {
  return user === "admin" ? folder.kubeconfig : `${fileOf(folder, clientFile(user))}.kubeconfig`;
}

/** What kubeconfigs are written from. */
export interface KubeconfigOptions {
  readonly folder: ClusterFolder;
  readonly nodes: readonly NodeSettings[];
  /** The API server's address for users and operators. */
  readonly server: string;
  /** And for nodes. Default: the same. */
  readonly serverForNodes?: string;
}

/** Writes the kubeconfigs for a server's address. */
export async function writeKubeconfigs(options: KubeconfigOptions): Promise<void> {
  const { folder, nodes, server: here, serverForNodes = here } = options;
  const authority = await certificateOf(folder, "authority");
  const write = async (user: KubeconfigUser): Promise<void> => {
    const pair = await pairOf(folder, clientFile(user));
    const server = typeof user === "string" ? here : serverForNodes;
    const text = kubeconfigText({ server, authority, user: identityOf(user).user, pair });
    await writeWhole(kubeconfigOf(folder, user), text, { mode: 0o600 });
  };
  // Files are synced: all at once takes as long as one.
  await Promise.all(usersOf(nodes).map(write));
}

interface KubeconfigParts {
  readonly server: string;
  readonly authority: string;
  readonly user: string;
  readonly pair: CertificateWithKey;
}

/** JSON, which is YAML, too: every part of a start reads one, and none has to load a parser for that. */
function kubeconfigText({ server, authority, user, pair }: KubeconfigParts): string {
  const config = {
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
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

function data(text: string): string {
  return Buffer.from(text).toString("base64");
}

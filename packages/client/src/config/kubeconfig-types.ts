import type { Place } from "./place.ts";

/** One kubeconfig, or several merged into one. Paths are absolute, base64 is decoded, an empty string is undefined. */
export interface Kubeconfig {
  /** Where it was read from, in the order of precedence. */
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
}

/** How to reach a server and how to trust it. */
export interface KubeconfigCluster {
  readonly place: Place;
  readonly server: string | undefined;
  readonly tlsServerName: string | undefined;
  readonly insecureSkipTlsVerify: boolean;
  readonly certificateAuthority: string | undefined;
  readonly certificateAuthorityData: string | undefined;
  readonly proxyUrl: string | undefined;
  readonly disableCompression: boolean;
  /** What the cluster's extension `client.authentication.k8s.io/exec` tells exec plugins. */
  readonly execConfig: unknown;
}

/** Who we are, and as whom we want to act. */
export interface KubeconfigUser {
  readonly place: Place;
  readonly clientCertificate: string | undefined;
  readonly clientCertificateData: string | undefined;
  readonly clientKey: string | undefined;
  readonly clientKeyData: string | undefined;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly as: string | undefined;
  readonly asUid: string | undefined;
  readonly asGroups: readonly string[];
  readonly asUserExtra: Readonly<Record<string, readonly string[]>>;
  readonly exec: KubeconfigExec | undefined;
  /** Name of the legacy auth provider; undefined when there is none. */
  readonly authProvider: string | undefined;
}

/** The command that gives credentials. */
export interface KubeconfigExec {
  readonly place: Place;
  readonly command: string | undefined;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly apiVersion: string | undefined;
  readonly installHint: string | undefined;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string | undefined;
}

/** Which user talks to which cluster, and about which namespace. */
export interface KubeconfigContext {
  readonly place: Place;
  readonly cluster: string | undefined;
  readonly user: string | undefined;
  readonly namespace: string | undefined;
}

import type { Clock } from "@kedge/machinery";
import type { ConnectSubresource } from "../registry/types.ts";

/** How the API server reaches the kubelet API of nodes. */
export interface NodeProxyOptions {
  /** PEM: what the API server shows to nodes; its user needs the kubelet's API (`nodes/proxy`). */
  readonly clientCertificate: { readonly certificate: string; readonly key: string };
  /** PEM: who signs the serving certificates of nodes. Undefined: they are not verified, as kube-apiserver does without `--kubelet-certificate-authority`. */
  readonly authority: string | undefined;
  readonly clock: Clock;
}

/** The subresources of pods that lead to their node. */
export interface PodConnects {
  readonly log: ConnectSubresource;
  readonly exec: ConnectSubresource;
  readonly attach: ConnectSubresource;
  readonly portforward: ConnectSubresource;
}

/** The subresource `proxy` of what can be reached through the API server. */
export interface ProxyConnects {
  readonly pods: ConnectSubresource;
  readonly services: ConnectSubresource;
  readonly nodes: ConnectSubresource;
}

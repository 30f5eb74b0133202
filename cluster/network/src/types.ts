/** The network of one pod. */
export interface PodAddress {
  /** IPv4 in the cluster's pod range. */
  readonly address: string;
  /** Path of the network namespace, for the container runtime. */
  readonly namespacePath: string;
}

/** A port of the node itself, at which a pod answers. */
export interface HostPort {
  readonly protocol: "tcp" | "udp" | "sctp";
  readonly port: number;
  readonly containerPort: number;
  /** At this address of the node only. Absent: at all of them. */
  readonly address?: string;
}

/** Gives pods their network namespaces and addresses. Everything is idempotent, and survives a restart of the agent. */
export interface PodNetwork {
  /** This machine's address among the pods': their gateway, and where DNS listens. */
  readonly gateway: string;
  /** Makes what all pods share. */
  start(): Promise<void>;
  /** The namespace and address of a pod, made if it does not exist, and the ports of the node led to it. */
  attach(podUid: string, hostPorts?: readonly HostPort[]): Promise<PodAddress>;
  /** Takes both away. Does nothing when there are none. */
  detach(podUid: string): Promise<void>;
  /** The pods that have one now. */
  attached(): Promise<readonly string[]>;
  /** Removes every namespace, interface and rule of this cluster. */
  remove(): Promise<void>;
}

/** A cluster's network, as one node has it. */
export interface ClusterNetwork {
  /** 4 to 6 hexadecimal digits: part of the name of every interface, namespace and table that the node makes. */
  readonly id: string;
  /** The addresses of all pods, on whichever node: `10.244.0.0/16` */
  readonly podRange: string;
  /** The addresses of this node's pods, a part of `podRange`. The first of them is the node's own. */
  readonly podCIDR: string;
  /** `10.96.0.0/16` */
  readonly serviceRange: string;
  /** `cluster.local` */
  readonly domain: string;
  /** The interface that leads to the rest of the cluster. Default: none, all of it is in this network namespace. */
  readonly uplink?: string;
  /** Whether node ports answer other machines, too. Default: only this one and the pods. */
  readonly exposeNodePorts?: boolean;
}

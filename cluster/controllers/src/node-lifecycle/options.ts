/** How long nodes may be silent, and how fast their pods are given up. Times are milliseconds. */
export interface NodeLifecycleOptions {
  /** How often all nodes are looked at. */
  readonly monitorPeriod: number;
  /** How long a node may be silent until its conditions are Unknown. */
  readonly monitorGracePeriod: number;
  /** The same for a node that has never said anything, from its creation. */
  readonly startupGracePeriod: number;
  /** How many nodes a second of a healthy zone get a taint that evicts their pods. */
  readonly evictionRate: number;
  /** The same for a zone most of whose nodes are not ready; smaller zones than `largeZone` evict nothing then. */
  readonly secondaryEvictionRate: number;
  /** With more nodes than this a zone is large. */
  readonly largeZone: number;
  /** Which part of a zone's nodes, and at least three, must not be ready for the zone to be disrupted: 0 to 1. */
  readonly unhealthyZoneThreshold: number;
}

/** Those of kube-controller-manager 1.36. */
export const defaultNodeLifecycle: NodeLifecycleOptions = {
  monitorPeriod: 5_000,
  monitorGracePeriod: 50_000,
  startupGracePeriod: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  largeZone: 50,
  unhealthyZoneThreshold: 0.55,
};

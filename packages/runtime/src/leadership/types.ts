/** Of several managers that share a Lease one at a time runs its controllers; the others keep their caches full. */
export interface LeaderElection {
  /** Where the Lease is. */
  readonly namespace: string;
  /** What the Lease is called. */
  readonly name: string;
  /** Who we are. No two that stand for one Lease may have the same. */
  readonly identity: string;
  /** Milliseconds for which others wait for a leader that is silent. Default 15 000. */
  readonly leaseMs?: number;
  /** Milliseconds after the last renewal from which we send nothing any more. Default 10 000. */
  readonly renewMs?: number;
  /** Milliseconds between two tries. Default 2000. */
  readonly retryMs?: number;
}

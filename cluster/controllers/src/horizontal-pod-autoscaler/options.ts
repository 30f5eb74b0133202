/** How autoscalers work. Times are milliseconds. */
export interface HorizontalPodAutoscalerOptions {
  /** How often each autoscaler looks. */
  readonly syncPeriod: number;
  /** For how long nothing is scaled below what was recommended, unless an autoscaler's behavior says so itself. */
  readonly downscaleStabilization: number;
  /** How far from 1 the ratio of use and target may be without a change, in each direction. */
  readonly tolerance: number;
  /** For how long after its start a pod may use its processor for its own beginning. */
  readonly cpuInitializationPeriod: number;
  /** A pod that became unready within this time after its start was never ready. */
  readonly initialReadinessDelay: number;
}

/** Those of kube-controller-manager 1.36. */
export const defaultHorizontalPodAutoscaler: HorizontalPodAutoscalerOptions = {
  syncPeriod: 15_000,
  downscaleStabilization: 300_000,
  tolerance: 0.1,
  cpuInitializationPeriod: 300_000,
  initialReadinessDelay: 30_000,
};

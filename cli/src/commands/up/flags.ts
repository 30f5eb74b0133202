import type { PodRuntime } from "../../cluster/pod-runtime.ts";

/** The flags of `kedge up`. */
export interface UpFlags {
  readonly dir: string;
  readonly port?: number;
  readonly nodes?: number;
  readonly store?: string;
  readonly encryptionProviderConfig?: string;
  readonly auditPolicyFile?: string;
  readonly runtime?: PodRuntime;
  readonly nodeMonitorGracePeriod?: number;
  readonly operators: boolean;
  readonly sample: boolean;
  readonly detach: boolean;
  readonly exposeNodePorts: boolean;
  readonly imageAlias?: readonly string[];
  /** The path of a KubeSchedulerConfiguration. */
  readonly schedulerConfig?: string;
}

import type { Clock, Logger } from "@kedge/machinery";
import type { Authority } from "@kedge/pki";
import type { Manager } from "@kedge/runtime";
import { certificateApprover } from "./certificates/approver.ts";
import { certificateCleaner } from "./certificates/cleaner.ts";
import { certificateSigner } from "./certificates/signer.ts";
import { clusterRoleAggregationController } from "./cluster-role-aggregation/controller.ts";
import { cronJobController } from "./cron-job/controller.ts";
import { daemonSetController } from "./daemonset/controller.ts";
import { deploymentController } from "./deployment/controller.ts";
import { disruptionController } from "./disruption/controller.ts";
import { staleConditionController } from "./disruption/stale-condition-controller.ts";
import { endpointsController } from "./endpoints/controller.ts";
import { endpointsMirrorController } from "./endpoints/mirror-controller.ts";
import { endpointSliceController } from "./endpointslice/controller.ts";
import { createGarbageCollector } from "./garbage-collector/collector.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/controller.ts";
import {
  defaultHorizontalPodAutoscaler,
  type HorizontalPodAutoscalerOptions,
} from "./horizontal-pod-autoscaler/options.ts";
import { jobController } from "./job/controller.ts";
import { jobOrphanController } from "./job/orphan-controller.ts";
import { namespaceController } from "./namespace/controller.ts";
import { conditionTaintsController } from "./node-lifecycle/condition-taints-controller.ts";
import { createNodeMonitor } from "./node-lifecycle/monitor.ts";
import { defaultNodeLifecycle, type NodeLifecycleOptions } from "./node-lifecycle/options.ts";
import { createPodCollector } from "./pod-gc/collector.ts";
import { defaultPodGc, type PodGcOptions } from "./pod-gc/plan.ts";
import { replicaSetController } from "./replicaset/controller.ts";
import { replicationControllerController } from "./replicaset/replication-controller.ts";
import { resourceQuotaController } from "./resource-quota/controller.ts";
import { serviceAccountController } from "./service-account/controller.ts";
import { serviceBalancerController } from "./service-lb/controller.ts";
import { statefulSetController } from "./statefulset/controller.ts";
import { taintEvictionController } from "./taint-eviction/controller.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished/controller.ts";
import { attributesClassController } from "./volumes/attributes-class-controller.ts";
import { claimController } from "./volumes/claim-controller.ts";
import { volumeController } from "./volumes/volume-controller.ts";

/** What the built-in controllers need to know. */
export interface ControllersOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The cluster's certificate authority as PEM: every namespace gets it. */
  readonly authority: string;
  /** Signs what CertificateSigningRequests ask for. Default: nobody does. */
  readonly signer?: Authority | undefined;
  /** The addresses of load balancers: `10.244.254.0/24`. Default: none, services of that type stay pending. */
  readonly loadBalancerRange?: string | undefined;
  /** How long nodes may be silent, and what then. Default: as kube-controller-manager has it. */
  readonly nodeLifecycle?: Partial<NodeLifecycleOptions> | undefined;
  /** When pods that no node will remove are removed. Default: as kube-controller-manager has it. */
  readonly podGc?: Partial<PodGcOptions> | undefined;
  /** How often autoscalers look, and what they wait for. Default: as kube-controller-manager has it. */
  readonly horizontalPodAutoscaler?: Partial<HorizontalPodAutoscalerOptions> | undefined;
}

/** Adds all built-in controllers to a manager, before it runs. */
export function addControllers(manager: Manager, options: ControllersOptions): void {
  const { clock, logger } = options;
  const controllers = [
    replicaSetController(),
    replicationControllerController(),
    deploymentController(),
    statefulSetController(),
    daemonSetController(),
    jobController(),
    jobOrphanController(),
    ttlAfterFinishedController(),
    cronJobController(),
    horizontalPodAutoscalerController({
      ...defaultHorizontalPodAutoscaler,
      ...options.horizontalPodAutoscaler,
    }),
    disruptionController(),
    staleConditionController(),
    conditionTaintsController(),
    taintEvictionController(),
    endpointSliceController(),
    endpointsController(),
    endpointsMirrorController(),
    namespaceController(),
    serviceAccountController({ authority: options.authority }),
    clusterRoleAggregationController(),
    certificateApprover(),
    certificateCleaner(),
    ...(options.signer === undefined ? [] : [certificateSigner(options.signer)]),
    resourceQuotaController({ informers: manager.informers, clock }),
    claimController(),
    volumeController(),
    attributesClassController(),
    ...(options.loadBalancerRange === undefined
      ? []
      : [serviceBalancerController({ range: options.loadBalancerRange })]),
  ];
  for (const controller of controllers) manager.add(controller);
  const { client, informers, events } = manager;
  const collector = createGarbageCollector({ client, informers, clock, logger });
  manager.addTask("garbage-collector", (signal) => collector.run(signal));
  const lifecycle = { ...defaultNodeLifecycle, ...options.nodeLifecycle };
  const monitor = createNodeMonitor({ client, informers, events, clock, logger, lifecycle });
  manager.addTask("node-monitor", (signal) => monitor.run(signal));
  const podGc = { ...defaultPodGc, ...options.podGc };
  const podCollector = createPodCollector({ client, informers, clock, logger, podGc });
  manager.addTask("pod-garbage-collector", (signal) => podCollector.run(signal));
}

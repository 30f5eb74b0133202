import type { Access } from "../auth/access.ts";
import type { PodConnects, ProxyConnects } from "../node-proxy/types.ts";
import type { Resource } from "../registry/types.ts";
import { admissionPolicyDefinitions } from "./admission-policy/admission-policy.ts";
import { configMapDefinition } from "./config-map/config-map.ts";
import { controllerRevisionDefinition } from "./controller-revision/controller-revision.ts";
import { cronJobDefinition } from "./cron-job/cron-job.ts";
import { daemonSetDefinition } from "./daemon-set/daemon-set.ts";
import { deploymentDefinition } from "./deployment/deployment.ts";
import { endpointSliceDefinition } from "./endpoint-slice/endpoint-slice.ts";
import { endpointsDefinition } from "./endpoints/endpoints.ts";
import { eventDefinition } from "./event/event.ts";
import { firstAutoscalerDefinition } from "./horizontal-pod-autoscaler/horizontal-pod-autoscaler-v1.ts";
import { autoscalerDefinition } from "./horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts";
import { ingressClassDefinition } from "./ingress-class/ingress-class.ts";
import { ingressDefinition } from "./ingress/ingress.ts";
import { jobDefinition } from "./job/job.ts";
import type { KindDefinition } from "./kind-definition.ts";
import { leaseDefinition } from "./lease/lease.ts";
import { limitRangeDefinition } from "./limit-range/limit-range.ts";
import { namespaceDefinition } from "./namespace/namespace.ts";
import { networkPolicyDefinition } from "./network-policy/network-policy.ts";
import { nodeDefinition } from "./node/node.ts";
import { claimDefinition } from "./persistent-volume-claim/persistent-volume-claim.ts";
import { volumeDefinition } from "./persistent-volume/persistent-volume.ts";
import { budgetDefinition } from "./pod-disruption-budget/pod-disruption-budget.ts";
import { podDefinition } from "./pod/pod.ts";
import { podTemplateDefinition } from "./pod-template/pod-template.ts";
import { priorityClassDefinition } from "./priority-class/priority-class.ts";
import { replicaSetDefinition } from "./replica-set/replica-set.ts";
import { replicationControllerDefinition } from "./replication-controller/replication-controller.ts";
import { clusterRoleBindingDefinition, roleBindingDefinition } from "./role-binding/role-binding.ts";
import { clusterRoleDefinition, roleDefinition } from "./role/role.ts";
import { builtinFacts, resourceOf, type BuiltinFacts } from "./resource-of.ts";
import { resourceQuotaDefinition } from "./resource-quota/resource-quota.ts";
import { secretDefinition } from "./secret/secret.ts";
import { reviewDefinitions } from "./review/reviews.ts";
import { serviceAccountDefinition } from "./service-account/service-account.ts";
import { ServiceAllocator } from "./service/allocator.ts";
import { serviceDefinition } from "./service/service.ts";
import { statefulSetDefinition } from "./stateful-set/stateful-set.ts";
import { storageClassDefinition } from "./storage-class/storage-class.ts";
import {
  mutatingWebhookDefinition,
  validatingWebhookDefinition,
} from "./webhook-configuration/webhook-configuration.ts";
import { csiDriverDefinition } from "./csi-driver/csi-driver.ts";
import { csiNodeDefinition } from "./csi-node/csi-node.ts";
import { csiStorageCapacityDefinition } from "./csi-storage-capacity/csi-storage-capacity.ts";
import { runtimeClassDefinition } from "./runtime-class/runtime-class.ts";
import { volumeAttachmentDefinition } from "./volume-attachment/volume-attachment.ts";
import { volumeAttributesClassDefinition } from "./volume-attributes-class/volume-attributes-class.ts";
import { newerEventDefinition } from "./event/newer-event.ts";
import { flowSchemaDefinition } from "./flow-control/flow-schema.ts";
import { priorityLevelDefinition } from "./flow-control/priority-level.ts";
import { ipAddressDefinition } from "./ip-address/ip-address.ts";
import { serviceCidrDefinition } from "./service-cidr/service-cidr.ts";
import { certificateSigningRequestDefinition } from "./certificate-signing-request/certificate-signing-request.ts";
import { apiServiceDefinition } from "./api-service/api-service.ts";
import { bindingDefinition } from "./binding/binding.ts";
import { componentStatusDefinition } from "./component-status/component-status.ts";
import { deviceClassDefinition } from "./device/device-class.ts";
import { resourceClaimDefinition, resourceClaimTemplateDefinition } from "./device/resource-claim.ts";
import { resourceSliceDefinition } from "./device/resource-slice.ts";

/** What differs between clusters. */
export interface BuiltinOptions {
  /** Where services get their addresses from: `10.96.0.0/12`. */
  readonly serviceRange: string;
  /** The subresources of pods that lead to their node: `podConnects(…)`. Default: none are served. */
  readonly podConnects?: PodConnects | undefined;
  /** The ways through this server to pods, services and nodes: `proxyConnects(…)`. Default: none are served. */
  readonly proxies?: ProxyConnects | undefined;
  /** What reviews are answered from, and tokens by. Default: there are none. */
  readonly access?: Access | undefined;
}

/** The resources of all built-in kinds that this server has, ready to be registered. Made once for each server. */
export function builtinResources(
  options: BuiltinOptions,
  facts: BuiltinFacts = builtinFacts(),
): readonly Resource[] {
  return definitions(options).map((definition) => resourceOf(definition, facts));
}

/** The one list of built-in kinds: each has a folder of its own, with its definition, its validation and its columns. */
function definitions({
  serviceRange,
  podConnects,
  proxies,
  access,
}: BuiltinOptions): readonly KindDefinition[] {
  return [
    namespaceDefinition(),
    nodeDefinition(proxies?.nodes),
    podDefinition(podConnects, proxies?.pods),
    podTemplateDefinition(),
    serviceDefinition(new ServiceAllocator(serviceRange), proxies?.services),
    configMapDefinition(),
    secretDefinition(),
    serviceAccountDefinition(access?.tokens),
    eventDefinition(),
    claimDefinition(),
    volumeDefinition(),
    storageClassDefinition(),
    csiDriverDefinition(),
    csiNodeDefinition(),
    csiStorageCapacityDefinition(),
    runtimeClassDefinition(),
    volumeAttachmentDefinition(),
    volumeAttributesClassDefinition(),
    priorityClassDefinition(),
    deploymentDefinition(),
    replicaSetDefinition(),
    replicationControllerDefinition(),
    statefulSetDefinition(),
    daemonSetDefinition(),
    controllerRevisionDefinition(),
    jobDefinition(),
    cronJobDefinition(),
    endpointsDefinition(),
    endpointSliceDefinition(),
    leaseDefinition(),
    limitRangeDefinition(),
    resourceQuotaDefinition(),
    autoscalerDefinition(),
    firstAutoscalerDefinition(),
    budgetDefinition(),
    networkPolicyDefinition(),
    ingressDefinition(),
    ingressClassDefinition(),
    roleDefinition(),
    roleBindingDefinition(),
    clusterRoleDefinition(),
    clusterRoleBindingDefinition(),
    mutatingWebhookDefinition(),
    validatingWebhookDefinition(),
    ...admissionPolicyDefinitions(),
    apiServiceDefinition(),
    bindingDefinition(),
    componentStatusDefinition(),
    deviceClassDefinition(),
    resourceClaimDefinition(),
    resourceClaimTemplateDefinition(),
    resourceSliceDefinition(),
    certificateSigningRequestDefinition(),
    newerEventDefinition(),
    flowSchemaDefinition(),
    priorityLevelDefinition(),
    ipAddressDefinition(),
    serviceCidrDefinition(),
    ...(access === undefined ? [] : reviewDefinitions(access)),
  ];
}

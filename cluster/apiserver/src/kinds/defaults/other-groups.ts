import type { ServiceReference } from "@kedge/machinery/kinds/apiregistration/v1";
import type { EndpointPort } from "@kedge/machinery/kinds/discovery/v1";
import type { IngressClass, NetworkPolicy } from "@kedge/machinery/kinds/networking/v1";
import type { ExactDeviceRequest } from "@kedge/machinery/kinds/resource/v1";
import type { RoleRef, Subject } from "@kedge/machinery/kinds/rbac/v1";
import type { PriorityClass } from "@kedge/machinery/kinds/scheduling/v1";
import type { CSIDriver, StorageClass } from "@kedge/machinery/kinds/storage/v1";
import type { Decoded } from "../../registry/decoded.ts";
import type { Defaulter } from "../normalize/normalize.ts";

/** Defaults of the groups that have few. */
export const otherDefaults: readonly (readonly [string, Defaulter])[] = [
  ["io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference", setServiceReference],
  ["io.k8s.api.discovery.v1.EndpointPort", setEndpointPort],
  ["io.k8s.api.networking.v1.NetworkPolicy", setNetworkPolicy],
  ["io.k8s.api.networking.v1.NetworkPolicyPort", setProtocol],
  ["io.k8s.api.networking.v1.IngressClass", setIngressClass],
  ["io.k8s.api.storage.v1.StorageClass", setStorageClass],
  ["io.k8s.api.storage.v1.CSIDriver", setDriver],
  ["io.k8s.api.resource.v1.ExactDeviceRequest", setDeviceRequest],
  ["io.k8s.api.resource.v1.DeviceSubRequest", setDeviceRequest],
  ["io.k8s.api.scheduling.v1.PriorityClass", setPriorityClass],
  ["io.k8s.api.rbac.v1.RoleRef", setRoleRef],
  ["io.k8s.api.rbac.v1.Subject", setSubject],
];

function setServiceReference(reference: Decoded<ServiceReference>): void {
  reference.port ??= 443;
}

function setEndpointPort(port: Decoded<EndpointPort>): void {
  port.name ??= "";
  port.protocol ??= "TCP";
}

function setNetworkPolicy(policy: Decoded<NetworkPolicy>): void {
  const spec = (policy.spec ??= {});
  if ((spec.policyTypes ?? []).length > 0) return;
  spec.policyTypes = (spec.egress ?? []).length > 0 ? ["Ingress", "Egress"] : ["Ingress"];
}

function setProtocol(port: { protocol?: string | undefined }): void {
  port.protocol ??= "TCP";
}

function setIngressClass(ingressClass: Decoded<IngressClass>): void {
  if (ingressClass.spec?.parameters !== undefined) ingressClass.spec.parameters.scope ??= "Cluster";
}

function setStorageClass(storageClass: Decoded<StorageClass>): void {
  storageClass.reclaimPolicy ??= "Delete";
  storageClass.volumeBindingMode ??= "Immediate";
}

function setDriver(driver: Decoded<CSIDriver>): void {
  const spec = (driver.spec ??= {});
  spec.attachRequired ??= true;
  spec.podInfoOnMount ??= false;
  spec.storageCapacity ??= false;
  spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
  if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ["Persistent"];
  spec.requiresRepublish ??= false;
  spec.seLinuxMount ??= false;
}

function setDeviceRequest(request: Decoded<ExactDeviceRequest>): void {
  if ((request.allocationMode ?? "") === "") request.allocationMode = "ExactCount";
  if (request.allocationMode === "ExactCount" && (request.count ?? 0) === 0) request.count = 1;
}

function setPriorityClass(priorityClass: Decoded<PriorityClass>): void {
  priorityClass.preemptionPolicy ??= "PreemptLowerPriority";
}

const rbacGroup = "rbac.authorization.k8s.io";

function setRoleRef(ref: Decoded<RoleRef>): void {
  if ((ref.apiGroup ?? "") === "") ref.apiGroup = rbacGroup;
}

function setSubject(subject: Decoded<Subject>): void {
  if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ??= rbacGroup;
}

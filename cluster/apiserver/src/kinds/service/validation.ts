import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldPath,
  fieldRequired,
  validateDns1123Subdomain,
  validateQualifiedName,
  type FieldError,
  type FieldPath,
} from "@kedge/machinery";
import { Service } from "@kedge/machinery/kinds/core/v1";
import type { ServiceSpec } from "@kedge/machinery/kinds/core/v1";
import type { StoredApiObject } from "../../registry/types.ts";
import { isExternallyAccessible } from "../defaults/service.ts";
import { decodedAs, type Decoded } from "../../registry/decoded.ts";
import { validateClusterIps } from "./cluster-ips.ts";
import { named, oneOf, optionalOneOf, validLabels } from "../validation/field-rules.ts";
import { validateCidr } from "../validation/cidr.ts";
import { validateEndpointIp } from "../validation/ip-address.ts";
import { validateServicePorts } from "./port-validation.ts";

/** What is wrong with a service by itself. */
export function validateService(object: StoredApiObject): FieldError[] {
  const spec = decodedAs(Service, object).spec ?? {};
  const path = fieldPath("spec");
  return [
    ...typeErrors(spec, path),
    ...validateServicePorts(spec.ports ?? [], path.child("ports")),
    ...validLabels(spec.selector, path.child("selector")),
    ...oneOf(spec.sessionAffinity, ["ClientIP", "None"], path.child("sessionAffinity")),
    ...affinityErrors(spec, path.child("sessionAffinityConfig", "clientIP", "timeoutSeconds")),
    ...validateClusterIps(spec),
    ...(spec.externalIPs ?? []).flatMap((ip, i) =>
      validateEndpointIp(ip, path.child("externalIPs").index(i)),
    ),
    ...oneOf(spec.type, ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"], path.child("type")),
    ...nodePortErrors(spec, path.child("ports")),
    ...samePortErrors(spec, path.child("ports")),
    ...balancerErrors(spec, path),
    ...trafficErrors(spec, path),
  ];
}

function typeErrors(spec: Decoded<ServiceSpec>, path: FieldPath): FieldError[] {
  const isHeadless = spec.clusterIPs?.[0] === "None";
  if (spec.type === "ExternalName") return externalNameErrors(spec, path);
  return [
    ...((spec.ports ?? []).length === 0 && !isHeadless ? [fieldRequired(path.child("ports"))] : []),
    ...(isHeadless && (spec.type === "LoadBalancer" || spec.type === "NodePort")
      ? [
          fieldInvalid(
            path.child("clusterIPs").index(0),
            "None",
            `may not be set to 'None' for ${spec.type} services`,
          ),
        ]
      : []),
  ];
}

function externalNameErrors(spec: Decoded<ServiceSpec>, path: FieldPath): FieldError[] {
  const none = "may not be set for ExternalName services";
  const name = (spec.externalName ?? "").replace(/\.$/u, "");
  const namePath = path.child("externalName");
  return [
    ...((spec.clusterIPs ?? []).length > 0 ? [fieldForbidden(path.child("clusterIPs"), none)] : []),
    ...((spec.ipFamilies ?? []).length > 0 ? [fieldForbidden(path.child("ipFamilies"), none)] : []),
    ...(spec.ipFamilyPolicy === undefined ? [] : [fieldForbidden(path.child("ipFamilyPolicy"), none)]),
    ...(name === "" ? [fieldRequired(namePath)] : named(name, validateDns1123Subdomain, namePath)),
  ];
}

function affinityErrors(spec: Decoded<ServiceSpec>, path: FieldPath): FieldError[] {
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (spec.sessionAffinity !== "ClientIP" || seconds === undefined) return [];
  if (seconds > 0 && seconds <= 86_400) return [];
  return [fieldInvalid(path, seconds, "must be greater than 0 and less than 86400")];
}

function nodePortErrors(spec: Decoded<ServiceSpec>, path: FieldPath): FieldError[] {
  const { ports = [] } = spec;
  const taken = new Set<string>();
  return [
    ...(spec.type === "ClusterIP"
      ? ports.flatMap(({ nodePort = 0 }, i) =>
          nodePort === 0
            ? []
            : [fieldForbidden(path.index(i).child("nodePort"), "may not be used when `type` is 'ClusterIP'")],
        )
      : []),
    ...ports.flatMap(({ nodePort = 0, protocol = "" }, i) => {
      if (nodePort === 0) return [];
      const key = `${protocol}/${nodePort}`;
      const isTaken = taken.has(key);
      taken.add(key);
      return isTaken ? [fieldDuplicate(path.index(i).child("nodePort"), nodePort)] : [];
    }),
  ];
}

function samePortErrors({ ports = [] }: Decoded<ServiceSpec>, path: FieldPath): FieldError[] {
  const taken = new Set<string>();
  return ports.flatMap(({ port = 0, protocol = "" }, i) => {
    const key = `${protocol}/${port}`;
    const isTaken = taken.has(key);
    taken.add(key);
    // As Go prints its own struct.
    const shown = new Map(
      Object.entries({
        Name: "",
        Protocol: protocol,
        AppProtocol: null,
        Port: port,
        TargetPort: 0,
        NodePort: 0,
      }),
    );
    return isTaken ? [fieldDuplicate(path.index(i), shown)] : [];
  });
}

function balancerErrors(spec: Decoded<ServiceSpec>, path: FieldPath): FieldError[] {
  const isBalancer = spec.type === "LoadBalancer";
  const ranges = path.child("LoadBalancerSourceRanges");
  const { loadBalancerSourceRanges = [] } = spec;
  const only = (at: FieldPath, isSet: boolean): FieldError[] =>
    isSet && !isBalancer ? [fieldForbidden(at, onlyBalancers)] : [];
  return [
    ...only(ranges, loadBalancerSourceRanges.length > 0),
    ...loadBalancerSourceRanges.flatMap((range, i) => validateCidr(range.trim(), ranges.index(i))),
    ...only(path.child("allocateLoadBalancerNodePorts"), spec.allocateLoadBalancerNodePorts !== undefined),
    ...validateBalancerClass(spec, path.child("loadBalancerClass")),
  ];
}

/** What is wrong with the class of a service's load balancer. */
export function validateBalancerClass(spec: Decoded<ServiceSpec>, path: FieldPath): FieldError[] {
  const { type, loadBalancerClass } = spec;
  if (loadBalancerClass === undefined) return [];
  return type === "LoadBalancer"
    ? named(loadBalancerClass, validateQualifiedName, path)
    : [fieldForbidden(path, onlyBalancers)];
}

const onlyBalancers = "may only be used when `type` is 'LoadBalancer'";

function trafficErrors(spec: Decoded<ServiceSpec>, path: FieldPath): FieldError[] {
  const external = path.child("externalTrafficPolicy");
  const policy = spec.externalTrafficPolicy;
  const health = spec.healthCheckNodePort ?? 0;
  const needsHealth = spec.type === "LoadBalancer" && policy === "Local";
  const policies = ["Cluster", "Local"];
  return [
    ...(isExternallyAccessible(spec)
      ? oneOf(policy, policies, external)
      : policy === undefined
        ? []
        : [fieldInvalid(external, policy, "may only be set for externally-accessible services")]),
    ...(!needsHealth && health !== 0
      ? [
          fieldInvalid(
            path.child("healthCheckNodePort"),
            health,
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
          ),
        ]
      : []),
    ...optionalOneOf(spec.internalTrafficPolicy, policies, path.child("internalTrafficPolicy")),
    ...optionalOneOf(
      spec.trafficDistribution,
      ["PreferClose", "PreferSameZone", "PreferSameNode"],
      path.child("trafficDistribution"),
    ),
  ];
}

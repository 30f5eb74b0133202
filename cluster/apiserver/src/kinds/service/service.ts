import { validateDns1123Label } from "@kedge/machinery";
import { Service } from "@kedge/machinery/kinds/core/v1";
import type { ConnectSubresource, HiddenFields, StoredApiObject } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { keepStatus, statusPart } from "../status.ts";
import { validateService } from "./validation.ts";
import { validateServiceStatus } from "./status-validation.ts";
import { validateServiceUpdate } from "./update-validation.ts";
import { allocate } from "./allocate.ts";
import type { ServiceAllocator } from "./allocator.ts";
import { dropUnneeded } from "./service-fields.ts";
import { servicePrinter } from "./printer.ts";

/** Services, with addresses and node ports from the allocator. */
export function serviceDefinition(
  allocator: ServiceAllocator,
  proxy: ConnectSubresource | undefined,
): KindDefinition {
  return {
    kind: Service,
    printer: servicePrinter,
    strategy: {
      prepareForUpdate: (object, previous) => {
        keepStatus(object, previous);
        const service = decodedAs(Service, object);
        dropUnneeded((service.spec ??= {}), decodedAs(Service, previous).spec ?? {});
        if (service.spec.type !== "LoadBalancer") service.status = { loadBalancer: {} };
      },
      allocate: (object, previous, context) => {
        allocate(object, previous, { allocator, context });
      },
      // What is wrong with the change comes first.
      validate: (object, previous) => {
        const errors = [
          ...(previous === undefined ? [] : validateServiceUpdate(object, previous)),
          ...validateService(object),
        ];
        if (errors.length > 0) allocator.endReservation(object);
        return errors;
      },
      warnings,
      nameRule: validateDns1123Label,
      selectableFieldNames: ["spec.clusterIP", "spec.type"],
      selectableFields,
      hidden: hiddenPolicy,
      generation: "none",
      createOnUpdate: true,
      deleteAnswersObject: true,
      stored: (object) => {
        allocator.endReservation(object);
      },
    },
    subresources: {
      status: statusPart({ validateUpdate: validateServiceStatus }),
      ...(proxy !== undefined && { proxy }),
    },
  };
}

/**
 * Without an address there is no traffic inside the cluster to have a policy for. The one that was set stays stored, with
 * its owner, for the day when the service gets an address again.
 */
const hiddenPolicy: HiddenFields = {
  split: (object) => {
    const { internalTrafficPolicy, ...spec } = decodedAs(Service, object).spec ?? {};
    if (spec.type !== "ExternalName" || internalTrafficPolicy === undefined) return undefined;
    return { shown: { ...object, spec }, hidden: { internalTrafficPolicy } };
  },
  join: (shown, hidden) => ({ ...shown, spec: { ...decodedAs(Service, shown).spec, ...hidden } }),
};

function selectableFields(object: StoredApiObject): Readonly<Record<string, string>> {
  const { spec } = decodedAs(Service, object);
  return { "spec.clusterIP": spec?.clusterIP ?? "", "spec.type": spec?.type ?? "" };
}

function warnings(object: StoredApiObject): readonly string[] {
  const spec = decodedAs(Service, object).spec ?? {};
  const { externalIPs = [], externalName = "", type, trafficDistribution, loadBalancerIP = "" } = spec;
  const isHeadless = type === "ClusterIP" && spec.clusterIP === "None";
  const hasExternal = externalIPs.length > 0;
  const told: readonly (readonly [boolean, string])[] = [
    [isHeadless && loadBalancerIP !== "", "spec.loadBalancerIP is ignored for headless services"],
    [isHeadless && hasExternal, "spec.externalIPs is ignored for headless services"],
    [isHeadless && spec.sessionAffinity !== "None", "spec.SessionAffinity is ignored for headless services"],
    [
      hasExternal && !isHeadless && type !== "ExternalName",
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    ],
    [type === "ExternalName" && hasExternal, 'spec.externalIPs is ignored when spec.type is "ExternalName"'],
    [
      type !== "ExternalName" && externalName !== "",
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ],
    [
      trafficDistribution === "PreferClose",
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  ];
  return told.filter(([isSo]) => isSo).map(([, text]) => text);
}

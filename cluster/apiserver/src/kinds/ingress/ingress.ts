import { Ingress } from "@kedge/machinery/kinds/networking/v1";
import { ingressClassAnnotation } from "../../admission/default-ingress-class.ts";
import { decodedAs } from "../../registry/decoded.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { dropStatus, keepStatus, statusPart } from "../status.ts";
import { ingressPrinter } from "./printer.ts";
import { validateIngress, validateIngressStatus, validateNewIngress } from "./validation.ts";

/** Ingresses. Who leads requests by them is up to a controller that somebody runs. */
export function ingressDefinition(): KindDefinition {
  return {
    kind: Ingress,
    printer: ingressPrinter,
    strategy: {
      prepareForCreate: dropStatus,
      prepareForUpdate: keepStatus,
      validate: (object, previous) =>
        previous === undefined ? validateNewIngress(object) : validateIngress(object, previous),
      warnings: (object, previous) =>
        previous === undefined &&
        object.metadata.annotations?.[ingressClassAnnotation] !== undefined &&
        decodedAs(Ingress, object).spec?.ingressClassName === undefined
          ? [
              `annotation "${ingressClassAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`,
            ]
          : [],
    },
    subresources: { status: statusPart({ validateUpdate: validateIngressStatus }) },
  };
}

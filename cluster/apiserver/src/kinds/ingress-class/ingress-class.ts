import { IngressClass } from "@kedge/machinery/kinds/networking/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { ingressClassPrinter } from "./printer.ts";
import { validateIngressClass } from "./validation.ts";

/** IngressClasses. */
export function ingressClassDefinition(): KindDefinition {
  return {
    kind: IngressClass,
    printer: ingressClassPrinter,
    strategy: { validate: validateIngressClass },
  };
}

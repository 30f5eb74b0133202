import { Node } from "@kedge/machinery/kinds/core/v1";
import type { ConnectSubresource } from "../../registry/types.ts";
import type { KindDefinition } from "../kind-definition.ts";
import { decodedAs } from "../../registry/decoded.ts";
import { keepStatus, statusPart } from "../status.ts";
import { validateNode, validateNodeUpdate } from "./validation.ts";
import { nodePrinter } from "./printer.ts";

/** Nodes. Their agent creates them with a status, so that it is kept. */
export function nodeDefinition(proxy: ConnectSubresource | undefined): KindDefinition {
  return {
    kind: Node,
    printer: nodePrinter,
    strategy: {
      prepareForCreate: () => undefined,
      prepareForUpdate: keepStatus,
      validate: validateNode,
      validateUpdate: validateNodeUpdate,
      selectableFieldNames: ["spec.unschedulable"],
      selectableFields: (object) => ({
        "spec.unschedulable": String(decodedAs(Node, object).spec?.unschedulable ?? false),
      }),
      generation: "none",
    },
    subresources: { status: statusPart(), ...(proxy !== undefined && { proxy }) },
  };
}

import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { validateConfigMap, validateConfigMapUpdate } from "./validation.ts";
import { configMapPrinter } from "./printer.ts";

/** ConfigMaps. */
export function configMapDefinition(): KindDefinition {
  return {
    kind: ConfigMap,
    printer: configMapPrinter,
    strategy: {
      // What is wrong with the change comes first.
      validate: (object, previous) => [
        ...(previous === undefined ? [] : validateConfigMapUpdate(object, previous)),
        ...validateConfigMap(object),
      ],
      generation: "none",
    },
  };
}

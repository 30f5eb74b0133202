import { ConfigMap } from "@kedge/machinery/kinds/core/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { validateConfigMap, validateConfigMapUpdate } from "../validation/config-map.ts";

/** ConfigMaps. */
export function configMapDefinition(): KindDefinition {
  return {
    kind: ConfigMap,
    strategy: {
      validate: validateConfigMap,
      validateUpdate: validateConfigMapUpdate,
      generation: "none",
    },
  };
}

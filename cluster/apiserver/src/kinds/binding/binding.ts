import { Binding } from "@kedge/machinery/kinds/core/v1";
import type { KindDefinition } from "../kind-definition.ts";
import { bindingAction } from "../pod/binding.ts";

/** Bindings: the older way to give a pod its node, by its name alone. They are done and never stored. */
export function bindingDefinition(): KindDefinition {
  const { run } = bindingAction();
  return {
    kind: Binding,
    strategy: { generation: "none" },
    review: async (binding, context) => {
      const { name = "", namespace = "" } = binding.metadata;
      return (await run({ name, namespace }, binding, context)).object;
    },
  };
}

import type { DeepReadonly } from "@kedge/machinery";
import type { Node } from "@kedge/machinery/kinds/core/v1";

/** The old name of each label, which old selectors still use. */
const oldNames = {
  "kubernetes.io/os": "beta.kubernetes.io/os",
  "kubernetes.io/arch": "beta.kubernetes.io/arch",
};

/** The labels that a node lacks: old names say what the new ones say. */
export function missingLabels({ metadata }: DeepReadonly<Node>): Readonly<Record<string, string>> {
  const labels = metadata.labels ?? {};
  return Object.fromEntries(
    Object.entries(oldNames).flatMap(([name, oldName]) => {
      const value = labels[name];
      return value === undefined || labels[oldName] === value ? [] : [[oldName, value]];
    }),
  );
}

import { rulesOf } from "@kedge/runtime";
import { operators } from "../operators.ts";

/** Who the operators are in a cluster: a service account, whose roles and bindings begin with the prefix. */
export const operatorAccount = {
  namespace: "operator-system",
  serviceAccount: "operator-controller-manager",
  prefix: "operator",
} as const;

/** All that the operators may ask of the API server. */
export function operatorRules(): ReturnType<typeof rulesOf> {
  return rulesOf(
    operators.flatMap(({ controllers }) => controllers()),
    operators.flatMap(({ rights = [] }) => rights),
  );
}

import type { DefinedKind } from "@kedge/schema";
import type { Right } from "../controller/rights.ts";
import type { Controller } from "../controller/types.ts";

/** An operator: kinds of its own, and the controllers that make something of them. */
export interface Operator {
  /** What it is called on a command line. Kebab case. */
  readonly name: string;
  /** Their CustomResourceDefinitions are generated and installed. */
  readonly kinds: readonly DefinedKind[];
  /** For one manager. */
  readonly controllers: () => readonly Controller[];
  /**
   * What its controllers ask of the API server beside what follows from their kinds: `[may(["delete"], Pod)]`. Default:
   * nothing.
   */
  readonly rights?: readonly Right[];
}

/** Names an operator, so that programs that install and run operators need to know nothing else of it. */
export function defineOperator(operator: Operator): Operator {
  const { name, kinds } = operator;
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/u.test(name)) {
    throw new TypeError(`operator ${JSON.stringify(name)}: the name must be kebab case, such as redis`);
  }
  if (kinds.length === 0) throw new TypeError(`operator ${name}: kinds must name at least one kind`);
  return operator;
}

import {
  messageOf,
  parseSelector,
  selectorMatches,
  type DeepReadonly,
  type Selector,
} from "@kedge/machinery";
import type { Pod } from "@kedge/machinery/kinds/core/v1";
import type { EventNote } from "@kedge/runtime";
import type { NewCondition } from "./conditions.ts";

/** Why a target's pods cannot be told. */
export interface SelectionProblem {
  readonly event: EventNote;
  readonly condition: NewCondition;
}

/** The selector of a target's scale. */
export function readSelector(text: string): Selector | SelectionProblem {
  if (text === "") {
    return problem(
      { reason: "SelectorRequired", message: "selector is required" },
      { reason: "InvalidSelector", message: "the HPA target's scale is missing a selector" },
    );
  }
  try {
    return parseSelector(text);
  } catch (error) {
    const why = `couldn't convert selector into a corresponding internal selector object: ${messageOf(error)}`;
    return problem({ reason: "InvalidSelector", message: why });
  }
}

/** Whether there is one. */
export function isProblem(found: object): found is SelectionProblem {
  return "condition" in found;
}

/** The autoscalers of a namespace, with what they were last seen to select. */
export type Selectors = ReadonlyMap<string, Selector | undefined>;

/** Two autoscalers of the same pods would work against each other. */
export function ambiguity(
  selector: string,
  pods: readonly DeepReadonly<Pod>[],
  { namespace, selectors }: { readonly namespace: string; readonly selectors: Selectors },
): SelectionProblem | undefined {
  const selecting = [...selectors]
    .filter(
      ([, each]) => each !== undefined && pods.some(({ metadata }) => selectorMatches(each, metadata.labels)),
    )
    .map(([name]) => name)
    .toSorted((one, other) => (one < other ? -1 : 1));
  if (selecting.length < 2) return undefined;
  const names = selecting.map((name) => `${namespace}/${name}`).join(" ");
  const message = `pods by selector ${selector} are controlled by multiple HPAs: [${names}]`;
  return problem({ reason: "AmbiguousSelector", message });
}

interface Why {
  readonly reason: string;
  readonly message: string;
}

function problem(event: Why, condition: Why = event): SelectionProblem {
  return {
    event: { type: "Warning", ...event },
    condition: { type: "ScalingActive", status: "False", ...condition },
  };
}

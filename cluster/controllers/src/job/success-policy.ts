import type { DeepReadonly } from "@kedge/machinery";
import type { JobSpec } from "@kedge/machinery/kinds/batch/v1";
import { countOf, countOfBoth, indexesFromText, type Indexes } from "./indexes.ts";

/** Which rule of its success policy an indexed job meets, in the words of its condition; undefined when none. */
export function successRuleMet(
  { successPolicy, completions = 0 }: DeepReadonly<JobSpec>,
  succeeded: Indexes,
): string | undefined {
  if (succeeded.length === 0) return undefined;
  const index = (successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) {
      return succeededCount !== undefined && countOf(succeeded) >= succeededCount;
    }
    const wanted = indexesFromText(succeededIndexes, completions);
    if (wanted.length === 0) return false;
    const met = countOfBoth(wanted, succeeded);
    return met === countOf(wanted) || (succeededCount !== undefined && met >= succeededCount);
  });
  return index === -1 ? undefined : `Matched rules at index ${index}`;
}

import type { ConditionStatement } from "@kedge/runtime";
import type { Observed } from "../observe.ts";
import { planReplication } from "./replication/plan-replication.ts";
import { replicationFacts } from "./replication-facts.ts";

/** The condition that is there while the primary is to be another one, and that does not come about. */
export const switchoverFailing = "SwitchoverFailing";

/** Why the primary is still who it was although it is to be another one; undefined when all goes well. */
export function switchoverTrouble(observed: Observed): ConditionStatement | undefined {
  const { trouble } = planReplication(replicationFacts(observed));
  if (trouble?.reason !== "SwitchoverGivenUp") return undefined;
  const { reason, message } = trouble;
  return { type: switchoverFailing, status: "True", reason, message };
}

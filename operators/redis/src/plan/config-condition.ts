import { refusalText, type ConditionStatement, type Refusal } from "@kedge/runtime";
import { configHashAnnotation } from "../names.ts";
import type { Observed } from "../observe.ts";
import { planConfig } from "./config.ts";
import { planLiveConfig } from "./live-config.ts";

/** Whether all servers have the config that the spec asks for. */
export function configCondition(observed: Observed, refusals: readonly Refusal[]): ConditionStatement {
  const type = "ConfigApplied";
  const refused = refusals.filter(({ field }) => field.startsWith("spec.config"));
  if (refused.length > 0) return { type, status: "False", reason: "Refused", message: refusalText(refused) };
  const config = planConfig(observed);
  const { statefulSet, pods } = observed;
  if (config.text === undefined || statefulSet === undefined || pods.length === 0) {
    return { type, status: "False", reason: "NoServers", message: "There is no server yet." };
  }
  const { waiting } = planLiveConfig(observed, { ...config, text: config.text });
  if (waiting.length > 0) {
    const message = `Set while servers run. Waiting for ${waiting.join(", ")}.`;
    return { type, status: "False", reason: "Setting", message };
  }
  const wanted = statefulSet.spec?.template?.metadata?.annotations?.[configHashAnnotation];
  const older = pods
    .filter(({ metadata }) => metadata.annotations?.[configHashAnnotation] !== wanted)
    .map(({ metadata }) => metadata.name)
    .toSorted();
  if (older.length > 0) {
    const message = `Needs a start of the servers, one after the other. Still to be replaced: ${older.join(", ")}.`;
    return { type, status: "False", reason: "RollingOut", message };
  }
  return { type, status: "True", reason: "Applied", message: "All servers have it." };
}

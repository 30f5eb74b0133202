import { conditionsOf, intAt } from "@kedge/machinery";
import { ageText } from "../../../age-text.ts";
import { inNamespace, typed, type Cause } from "../cause.ts";
import { oneLine, type AnyObject, type SeenEvent, type Situation } from "../situation.ts";

/** Seconds after which an operator should have looked at an object. */
const patience = 10;

/** That an operator refuses an object's spec, or does nothing about it. */
export function operatorCauses(object: AnyObject, situation: Situation): readonly Cause[] {
  const refused = conditionsOf(object).find(
    ({ type, status }) => type === "SpecAccepted" && status === "False",
  );
  if (refused !== undefined)
    return [
      {
        about: object,
        says: `is refused: ${oneLine(refused.message)}`,
        evidence: [`SpecAccepted=False, ${refused.reason}`],
        fix: `kubectl edit ${typed(object)}${inNamespace(object)}`,
      },
    ];
  const held = conditionsOf(object).find(({ type, status }) => type.endsWith("Held") && status === "True");
  if (held !== undefined)
    return [
      {
        about: object,
        says: `is held: ${oneLine(held.message, 600)}`,
        evidence: [`${held.type}=True, ${held.reason}`],
        fix: `kubectl describe ${typed(object)}${inNamespace(object)}`,
      },
    ];
  const generation = intAt(object, "metadata.generation") ?? 0;
  const seen = intAt(object, "status.observedGeneration");
  const since = situation.since(object.metadata.creationTimestamp);
  const isUnseen = object.status === undefined ? since > patience : seen !== undefined && seen < generation;
  const down = situation.facts.operatorsDown;
  if (down !== undefined && (isUnseen || object.status === undefined))
    return [{ about: object, says: "is looked after by nobody: no operator runs", fix: down }];
  if (!isUnseen) return [];
  return [
    {
      about: object,
      says:
        seen === undefined
          ? `was looked at by no operator for ${ageText(since)}`
          : "has changed, and no operator has looked at it since",
      evidence: [`generation ${generation}, observed ${seen ?? "none"}`],
      fix: "is its operator running, and may it see this namespace? kubectl get pods -A | grep -i operator; or: kedge operator",
    },
  ];
}

/** The words of an object about itself, when nothing nearer to the root was found. */
export function ownWords(object: AnyObject, situation: Situation): readonly Cause[] {
  const condition = conditionsOf(object).find(
    ({ type, status, message }) => message !== "" && isBad(type, status),
  );
  const warning = newsOf(object, situation);
  if (condition === undefined && warning === undefined) return [];
  return [
    {
      about: object,
      says: `says: ${condition === undefined ? (warning?.message ?? "") : oneLine(condition.message)}`,
      evidence:
        condition === undefined
          ? [`event ${warning?.reason ?? ""}`]
          : [`${condition.type}=${condition.status}, ${condition.reason}`],
      fix: `kubectl describe ${typed(object)}${inNamespace(object)}`,
    },
  ];
}

/** The newest warning about an object; none when it became ready since. */
function newsOf(object: AnyObject, situation: Situation): SeenEvent | undefined {
  const warning = situation.warning(object);
  const ready = conditionsOf(object).find(({ type, status }) => type === "Ready" && status === "True");
  const since = Date.parse(ready?.lastTransitionTime ?? "");
  return warning !== undefined && since >= warning.at ? undefined : warning;
}

function isBad(type: string, status: string): boolean {
  const good =
    /^(Ready|Available|Progressing|Synced|Healthy|Accepted|Initialized|Established|NamesAccepted)$/u;
  const bad = /(Failed|Failure|Degraded|Stalled|Held|Error|Pressure|Unavailable)$/u;
  return good.test(type) ? status !== "True" : bad.test(type) && status === "True";
}

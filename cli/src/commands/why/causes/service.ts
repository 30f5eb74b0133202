import { valueAt } from "@kedge/machinery";
import { inNamespace, type Cause } from "../cause.ts";
import type { AnyObject, Situation } from "../situation.ts";

/** The pods behind a Service; a cause, when there can be none. */
export function behindService(
  object: AnyObject,
  situation: Situation,
): { readonly pods: readonly AnyObject[]; readonly causes: readonly Cause[] } {
  const selector = valueAt(object, ["spec", "selector"]);
  if (!isLabels(selector)) return { pods: [], causes: [] };
  const pods = situation.podsWith(selector);
  const text = Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  if (pods.length > 0) return { pods, causes: [] };
  return {
    pods,
    causes: [
      {
        about: object,
        says: `has nobody behind it: no pod has the labels ${text}`,
        fix: `kubectl get pods${inNamespace(object)} --show-labels`,
      },
    ],
  };
}

function isLabels(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.keys(value).length > 0 &&
    Object.values(value).every((label) => typeof label === "string")
  );
}

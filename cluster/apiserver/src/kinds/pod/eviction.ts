import { badRequest, isJsonObject, notFound } from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import type { ActionSubresource, DeletePreferences } from "../../registry/types.ts";
import { servedPods } from "./served-pods.ts";
import { success } from "./success.ts";

/** `pods/eviction`: a deletion that disruption budgets may refuse. Budgets are not looked at yet. */
export function evictionAction(): ActionSubresource {
  return {
    type: "action",
    body: { group: "policy", version: "v1", kind: "Eviction" },
    run: async (key, body, context) => {
      if ((body.metadata.name ?? "") !== key.name)
        throw badRequest("name in URL does not match name in Eviction object");
      const pods = servedPods(context.objects);
      if (context.objects.get(pods, key) === undefined) throw notFound(Pod, key.name);
      const { dryRun, ...preferences } = preferencesOf(body["deleteOptions"]);
      await context.objects.delete(pods, key, {
        ...preferences,
        dryRun: dryRun || context.dryRun,
        user: context.user,
        isAdmitted: true,
      });
      return { status: 201, object: success(201) };
    },
  };
}

function preferencesOf(options: unknown): DeletePreferences & { readonly dryRun: boolean } {
  if (!isJsonObject(options)) return { dryRun: false };
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = options;
  const { uid, resourceVersion } = isJsonObject(preconditions) ? preconditions : {};
  return {
    dryRun: Array.isArray(dryRun) && dryRun.length > 0,
    ...(typeof gracePeriodSeconds === "number" && { gracePeriodSeconds }),
    ...(isPropagation(propagationPolicy) && { propagationPolicy }),
    ...(typeof uid === "string" && { uid }),
    ...(typeof resourceVersion === "string" && { resourceVersion }),
  };
}

function isPropagation(value: unknown): value is NonNullable<DeletePreferences["propagationPolicy"]> {
  return value === "Foreground" || value === "Background" || value === "Orphan";
}

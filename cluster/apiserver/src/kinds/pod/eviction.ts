import {
  badRequest,
  fieldInvalid,
  fieldPath,
  formatTime,
  invalid,
  isConflict,
  isJsonInteger,
  isJsonObject,
  notFound,
  statusFailure,
  type ObjectKey,
  type StatusError,
} from "@kedge/machinery";
import { Pod } from "@kedge/machinery/kinds/core/v1";
import { PodDisruptionBudget } from "@kedge/machinery/kinds/policy/v1";
import { checkPreconditions } from "../../registry/check-preconditions.ts";
import { decodedAs } from "../../registry/decoded.ts";
import type {
  ActionSubresource,
  ApiObject,
  DeletePreferences,
  Objects,
  PartSubresource,
  Resource,
  StoredApiObject,
  WriteContext,
} from "../../registry/types.ts";
import { checkDeleteOptions } from "../../request/check-delete-options.ts";
import { keepMeta } from "../status.ts";
import {
  countEviction,
  coversPod,
  isBeyondBudgets,
  isEnding,
  notYetProcessed,
  sparesUnhealthy,
} from "./disruption-budget.ts";
import { servedPods } from "./served-pods.ts";
import { success } from "./success.ts";

/** `pods/eviction`: a deletion that disruption budgets may refuse. */
export function evictionAction(): ActionSubresource {
  return {
    type: "action",
    body: { group: "policy", version: "v1", kind: "Eviction" },
    olderVersions: ["v1beta1"],
    run: async (key, body, context) => {
      if ((body.metadata.name ?? "") !== key.name)
        throw badRequest("name in URL does not match name in Eviction object");
      await evict(evictionOf(key, body["deleteOptions"], context));
      return { status: 201, object: success(201) };
    },
  };
}

interface Eviction {
  readonly key: ObjectKey;
  readonly preferences: DeletePreferences;
  readonly dryRun: boolean;
  readonly context: WriteContext;
  readonly pods: Resource;
}

/** Other writers may be faster so often. */
const maxTries = 20;

async function evict(eviction: Eviction): Promise<void> {
  const { key, preferences, context } = eviction;
  for (let tries = 1; ; tries++) {
    const pod = podOf(eviction);
    if (!isBeyondBudgets(pod)) return await evictWithinBudgets(eviction, pod);
    try {
      // It must not become ready meanwhile: then a budget would count on it.
      await remove(eviction, isEnding(pod) ? preferences : inVersion(preferences, pod));
      return;
    } catch (error) {
      const isOurs = preferences.resourceVersion === undefined && preferences.uid === undefined;
      if (!isConflict(error) || !isOurs || tries === maxTries) throw error;
    }
    if (context.objects.get(eviction.pods, key) === undefined) throw notFound(Pod, key.name);
  }
}

async function evictWithinBudgets(eviction: Eviction, pod: StoredApiObject): Promise<void> {
  const { key, preferences, dryRun, context } = eviction;
  const budgets = servedBudgets(context.objects);
  const [budget, ...others] = context.objects
    .list(budgets, key.namespace)
    .filter((candidate) => coversPod(candidate, pod));
  if (others.length > 0) throw severalBudgets();
  if (budget === undefined) {
    await remove(eviction, preferences);
    return;
  }
  const name = budget.metadata.name ?? "";
  if (!sparesUnhealthy(budget, pod)) {
    const count = (object: ApiObject): true => {
      countEviction(object, key.name, context.clock.now());
      return true;
    };
    const options = { subresource: "status", dryRun, isAdmitted: true };
    await context.objects.update(budgets, { namespace: key.namespace, name }, count, options);
    await remove(eviction, preferences);
    return;
  }
  try {
    // It must not become ready meanwhile.
    await remove(eviction, { ...preferences, resourceVersion: pod.metadata.resourceVersion ?? "" });
  } catch (error) {
    if (isConflict(error) && preferences.resourceVersion === undefined) throw notYetProcessed(name);
    throw error;
  }
}

/** Says in the pod's status why it goes, and deletes it. */
async function remove(eviction: Eviction, preferences: DeletePreferences): Promise<void> {
  const { key, dryRun, context, pods } = eviction;
  const { objects, user } = context;
  let { resourceVersion } = preferences;
  if (!dryRun) {
    const mark = (object: ApiObject): true => {
      checkPreconditions(pods, object, preferences);
      markEvicted(object, context.clock.now());
      return true;
    };
    const options = { part: statusOnly, user, isAdmitted: true };
    const marked = await objects.update(pods, key, mark, options);
    if (resourceVersion !== undefined) resourceVersion = marked.metadata.resourceVersion;
  }
  const preconditions = resourceVersion === undefined ? {} : { resourceVersion };
  await objects.delete(pods, key, { ...preferences, ...preconditions, dryRun, user, isAdmitted: true });
}

/** Nobody owns what is written so: Kubernetes keeps no account of evictions. */
const statusOnly: PartSubresource = {
  type: "part",
  verbs: ["update"],
  keepsGeneration: true,
  prepareForUpdate: (object, previous) => keepMeta(object, previous, ["managedFields"]),
  validate: () => [],
};

function markEvicted(object: ApiObject, now: number): void {
  const status = (decodedAs(Pod, object).status ??= {});
  const before = status.conditions?.find(({ type }) => type === "DisruptionTarget");
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
    lastTransitionTime: before?.status === "True" ? before.lastTransitionTime : formatTime(now),
  };
  status.conditions =
    before === undefined
      ? [...(status.conditions ?? []), condition]
      : (status.conditions ?? []).map((each) => (each === before ? condition : each));
}

function podOf({ key, context, pods }: Eviction): StoredApiObject {
  const pod = context.objects.get(pods, key);
  if (pod === undefined) throw notFound(Pod, key.name);
  return pod;
}

function inVersion(preferences: DeletePreferences, { metadata }: StoredApiObject): DeletePreferences {
  return { resourceVersion: metadata.resourceVersion ?? "", ...preferences };
}

function servedBudgets({ registry }: Objects): Resource {
  const { group, kind, version } = PodDisruptionBudget;
  const resource = registry.byKind(group, kind, version);
  if (resource === undefined) throw new Error("the registry has no budgets: register all built-in resources");
  return resource;
}

function severalBudgets(): StatusError {
  const message =
    "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
  return statusFailure({ code: 500, message });
}

function evictionOf(key: ObjectKey, options: unknown, context: WriteContext): Eviction {
  const given = isJsonObject(options) ? options : {};
  const forced = "ignoreStoreReadErrorWithClusterBreakingPotential";
  if (given[forced] === true) {
    const why = "can not be set for pod eviction, try after removing the option";
    const error = fieldInvalid(fieldPath("deleteOptions", forced), true, why);
    throw invalid({ group: "policy", kind: "Eviction" }, key.name, [error]);
  }
  checkDeleteOptions(given);
  const { gracePeriodSeconds, propagationPolicy, preconditions, dryRun } = given;
  const { uid, resourceVersion } = isJsonObject(preconditions) ? preconditions : {};
  return {
    key,
    context,
    pods: servedPods(context.objects),
    dryRun: context.dryRun || (Array.isArray(dryRun) && dryRun.length > 0),
    preferences: {
      ...(isJsonInteger(gracePeriodSeconds) && { gracePeriodSeconds }),
      ...(isPropagation(propagationPolicy) && { propagationPolicy }),
      ...(typeof uid === "string" && { uid }),
      ...(typeof resourceVersion === "string" && { resourceVersion }),
    },
  };
}

function isPropagation(value: unknown): value is NonNullable<DeletePreferences["propagationPolicy"]> {
  return value === "Foreground" || value === "Background" || value === "Orphan";
}

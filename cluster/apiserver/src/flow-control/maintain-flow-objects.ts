import {
  deepEqual,
  inBackground,
  isAlreadyExists,
  isNotFound,
  type Clock,
  type Timer,
} from "@kedge/machinery";
import { FlowSchema, PriorityLevelConfiguration } from "@kedge/machinery/kinds/flowcontrol/v1";
import {
  autoUpdate,
  bootstrapFlows,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
} from "../kinds/flow-control/bootstrap-flows.ts";
import type { ApiObject, Objects, Resource, StoredApiObject } from "../registry/types.ts";

/** So often it is looked after them, in milliseconds. */
const interval = 60_000;
const manager = "api-priority-and-fairness-config-producer-v1";

/**
 * Keeps the FlowSchemas and PriorityLevelConfigurations that every cluster has: those that are missing are made again;
 * the mandatory ones, and those whose annotation says so, get their spec back. Resolves when it was looked after them
 * once; the result ends it.
 */
export async function maintainFlowObjects(
  objects: Objects,
  clock: Clock,
  onFailure: (error: unknown) => void,
): Promise<() => void> {
  let timer: Timer | undefined;
  let isStopped = false;
  const schedule = (): void => {
    if (isStopped) return;
    timer = clock.timer(interval, () =>
      inBackground(ensureFlowObjects(objects).finally(schedule), onFailure),
    );
  };
  // What admission refuses (a webhook that does not run yet, a policy) must not keep the server from starting.
  await ensureFlowObjects(objects).catch(onFailure);
  schedule();
  return () => {
    isStopped = true;
    timer?.cancel();
  };
}

async function ensureFlowObjects(objects: Objects): Promise<void> {
  const wanted = bootstrapFlows();
  const kinds = [
    [PriorityLevelConfiguration, mandatoryPriorityLevels],
    [FlowSchema, mandatoryFlowSchemas],
  ] as const;
  // All at once: a store that syncs its files does it once for them.
  await Promise.all(
    kinds.flatMap(([kind, mandatory]) => {
      const resource = objects.registry.byKind(kind.group, kind.kind, kind.version);
      if (resource === undefined) return [];
      const its = wanted.filter((object) => object.kind === kind.kind);
      return [
        ...its.map((object) => ensure(objects, resource, object, mandatory.has(object.metadata.name ?? ""))),
        removeOthers(objects, resource, new Set(its.map(({ metadata }) => metadata.name ?? ""))),
      ];
    }),
  );
}

async function ensure(
  objects: Objects,
  resource: Resource,
  wanted: ApiObject,
  isMandatory: boolean,
): Promise<void> {
  const { name = "" } = wanted.metadata;
  const found = objects.get(resource, { name });
  if (found === undefined) {
    await objects.create(resource, wanted, { manager }).catch(unless(isAlreadyExists));
    return;
  }
  if (!lacks(found, wanted, isMandatory)) return;
  const restore = (object: ApiObject): boolean => {
    if (!lacks(object, wanted, isMandatory)) return false;
    const isKept = isMandatory || isUpdated(object);
    object.metadata.annotations = { ...object.metadata.annotations, [autoUpdate]: String(isKept) };
    if (isKept) object["spec"] = structuredClone(specOf(object, wanted));
    return true;
  };
  await objects.update(resource, { name }, restore, { manager }).catch(unless(isNotFound));
}

/** Whether an object needs writing: its spec, or its annotation. */
function lacks(object: StoredApiObject, wanted: ApiObject, isMandatory: boolean): boolean {
  const isKept = isMandatory || isUpdated(object);
  if (truth(object.metadata.annotations?.[autoUpdate]) !== isKept) return true;
  return isKept && !deepEqual(object["spec"], specOf(object, wanted));
}

/** What the level `exempt` has for itself is the administrator's. */
function specOf(object: StoredApiObject, wanted: ApiObject): unknown {
  const [have, want] = [object["spec"], wanted["spec"]];
  const isExempt = wanted.kind === PriorityLevelConfiguration.kind && wanted.metadata.name === "exempt";
  if (!isExempt || !isUnion(have) || have.exempt === undefined) return want;
  return { ...(isUnion(want) && want), exempt: have.exempt };
}

function isUnion(spec: unknown): spec is { readonly exempt?: unknown } {
  return typeof spec === "object" && spec !== null;
}

/** Whether a suggested one is kept as suggested: as its annotation says, else while nobody has changed it. */
function isUpdated({ metadata }: StoredApiObject): boolean {
  return truth(metadata.annotations?.[autoUpdate]) ?? metadata.generation === 1;
}

/** As Go reads it; undefined for what is neither. */
function truth(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (["1", "t", "T", "TRUE", "true", "True"].includes(text)) return true;
  return ["0", "f", "F", "FALSE", "false", "False"].includes(text) ? false : undefined;
}

/** Those that another version of the server suggested go, unless somebody keeps them. */
async function removeOthers(objects: Objects, resource: Resource, names: ReadonlySet<string>): Promise<void> {
  const others = objects
    .list(resource)
    .filter(
      ({ metadata }) => !names.has(metadata.name ?? "") && truth(metadata.annotations?.[autoUpdate]) === true,
    );
  for (const { metadata } of others) {
    const { name = "", uid, resourceVersion } = metadata;
    const preferences = {
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    };
    await objects.delete(resource, { name }, preferences).catch(unless(isNotFound));
  }
}

function unless(isFine: (error: unknown) => boolean): (error: unknown) => void {
  return (error) => {
    if (!isFine(error)) throw error;
  };
}

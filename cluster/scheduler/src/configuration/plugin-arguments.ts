import type { TopologySpreadConstraint } from "@kedge/machinery/kinds/core/v1";
import type { Profile, ResourceStrategy, ResourceWeight, ShapePoint } from "../profile.ts";
import { affinityAt } from "./added-affinity.ts";
import { elementsOf, fieldsOf, numberOf, oneOf, textOf, wrong, type Place } from "./read-fields.ts";

/** What `pluginConfig` says of a profile. */
export function pluginArguments(places: readonly Place[]): Partial<Profile> {
  const found = new Map<string, Partial<Profile>>();
  for (const place of places) {
    const field = fieldsOf(place, ["name", "args"]);
    const name = oneOf(field("name"), [...readers.keys()]);
    if (found.has(name)) throw wrong(field("name"), "has arguments already");
    found.set(name, readers.get(name)?.(field("args")) ?? {});
  }
  return Object.fromEntries([...found.values()].flatMap(Object.entries));
}

/** By the name of the plugin. */
const readers: ReadonlyMap<string, (args: Place) => Partial<Profile>> = new Map([
  ["NodeResourcesFit", fitArguments],
  ["NodeResourcesBalancedAllocation", balanceArguments],
  ["NodeAffinity", affinityArguments],
  ["PodTopologySpread", spreadArguments],
  ["InterPodAffinity", neighbourArguments],
]);

const weights = { least: 1, most: 100 };

function argumentsAt(args: Place, plugin: string, known: readonly string[]): (name: string) => Place {
  if (args.value === undefined) throw wrong(args, "must be an object");
  const field = fieldsOf(args, ["apiVersion", "kind", ...known]);
  if (field("kind").value !== undefined) oneOf(field("kind"), [`${plugin}Args`]);
  return field;
}

function fitArguments(args: Place): Partial<Profile> {
  const field = argumentsAt(args, "NodeResourcesFit", [
    "scoringStrategy",
    "ignoredResources",
    "ignoredResourceGroups",
  ]);
  const strategy = field("scoringStrategy");
  const [ignoredResources, ignoredResourceGroups] = ["ignoredResources", "ignoredResourceGroups"].map(
    (name) => elementsOf(field(name)).map(textOf),
  );
  return {
    ...(strategy.value !== undefined && { resources: strategyAt(strategy) }),
    ...(ignoredResources !== undefined && ignoredResources.length > 0 && { ignoredResources }),
    ...(ignoredResourceGroups !== undefined && ignoredResourceGroups.length > 0 && { ignoredResourceGroups }),
  };
}

function strategyAt(place: Place): ResourceStrategy {
  const field = fieldsOf(place, ["type", "resources", "requestedToCapacityRatio"]);
  const type = oneOf(field("type"), ["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"]);
  const resources = elementsOf(field("resources")).map(resourceAt);
  const ratio = field("requestedToCapacityRatio");
  if ((type === "RequestedToCapacityRatio") !== (ratio.value !== undefined))
    throw wrong(ratio, "goes with the type RequestedToCapacityRatio, and that with it");
  return {
    type,
    ...(resources.length > 0 && { resources }),
    ...(ratio.value !== undefined && { shape: shapeAt(fieldsOf(ratio, ["shape"])("shape")) }),
  };
}

function resourceAt(place: Place): ResourceWeight {
  const field = fieldsOf(place, ["name", "weight"]);
  const weight = field("weight");
  return { name: textOf(field("name")), weight: weight.value === undefined ? 1 : numberOf(weight, weights) };
}

function shapeAt(place: Place): readonly ShapePoint[] {
  const points = elementsOf(place).map((point) => {
    const field = fieldsOf(point, ["utilization", "score"]);
    return {
      utilization: numberOf(field("utilization"), { least: 0, most: 100 }),
      score: numberOf(field("score"), { least: 0, most: 10 }),
    };
  });
  const [first] = points;
  if (first === undefined) throw wrong(place, "must have a point");
  points.reduce((one, other) => {
    if (other.utilization <= one.utilization) throw wrong(place, "must have points of ever more utilization");
    return other;
  });
  return points;
}

function balanceArguments(args: Place): Partial<Profile> {
  const field = argumentsAt(args, "NodeResourcesBalancedAllocation", ["resources"]);
  const resources = elementsOf(field("resources")).map((place) => resourceAt(place).name);
  return resources.length === 0 ? {} : { balancedResources: resources };
}

function affinityArguments(args: Place): Partial<Profile> {
  const added = argumentsAt(args, "NodeAffinity", ["addedAffinity"])("addedAffinity");
  return added.value === undefined ? {} : { addedAffinity: affinityAt(added) };
}

function neighbourArguments(args: Place): Partial<Profile> {
  const field = argumentsAt(args, "InterPodAffinity", ["hardPodAffinityWeight"]);
  const weight = field("hardPodAffinityWeight");
  return weight.value === undefined
    ? {}
    : { hardPodAffinityWeight: numberOf(weight, { least: 0, most: 100 }) };
}

/** With a list of its own, even an empty one, Kubernetes' default constraints do not hold. */
function spreadArguments(args: Place): Partial<Profile> {
  const field = argumentsAt(args, "PodTopologySpread", ["defaultConstraints", "defaultingType"]);
  const type = field("defaultingType");
  const isList = type.value !== undefined && oneOf(type, ["System", "List"]) === "List";
  const constraints = elementsOf(field("defaultConstraints")).map(constraintAt);
  if (!isList && constraints.length > 0)
    throw wrong(field("defaultConstraints"), "must be empty unless defaultingType is List");
  return isList ? { defaultConstraints: constraints } : {};
}

/** The selector is that of the pods' workload, so none can be said. */
function constraintAt(place: Place): TopologySpreadConstraint {
  const field = fieldsOf(place, ["maxSkew", "topologyKey", "whenUnsatisfiable"]);
  return {
    maxSkew: numberOf(field("maxSkew"), { least: 1, most: 2 ** 31 - 1 }),
    topologyKey: textOf(field("topologyKey")),
    whenUnsatisfiable: oneOf(field("whenUnsatisfiable"), ["DoNotSchedule", "ScheduleAnyway"]),
  };
}

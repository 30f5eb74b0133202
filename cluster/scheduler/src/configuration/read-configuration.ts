import { defaultProfile, defaultWeights, type Profile, type ScoreName } from "../profile.ts";
import { pluginArguments } from "./plugin-arguments.ts";
import { elementsOf, fieldsOf, numberOf, oneOf, textOf, wrong, type Place } from "./read-fields.ts";

const apiVersion = "kubescheduler.config.k8s.io/v1";
const kind = "KubeSchedulerConfiguration";
const most = 100;
const largestWeight = 100;

/**
 * The profiles of a KubeSchedulerConfiguration, as kube-scheduler reads it. What is in the file and not done here is
 * refused with its path. Without profiles there is Kubernetes' default one.
 */
export function readConfiguration(value: unknown): readonly Profile[] {
  const field = fieldsOf({ path: "", value }, ["apiVersion", "kind", "profiles", "percentageOfNodesToScore"]);
  oneOf(field("apiVersion"), [apiVersion]);
  oneOf(field("kind"), [kind]);
  const percentage = percentageIn(field("percentageOfNodesToScore"));
  const places = elementsOf(field("profiles"));
  if (places.length > most)
    throw wrong({ ...field("profiles"), value: places.length }, `more than ${most} are too many`);
  const profiles = places.map((place) => profileAt(place, percentage));
  for (const [index, { schedulerName }] of profiles.entries()) {
    if (profiles.findIndex((one) => one.schedulerName === schedulerName) < index)
      throw wrong(
        { path: `profiles[${index}].schedulerName`, value: schedulerName },
        "is the name of two profiles",
      );
  }
  return profiles.length === 0 ? [{ ...defaultProfile, ...percentage }] : profiles;
}

function profileAt(place: Place, inherited: Partial<Profile>): Profile {
  const field = fieldsOf(place, ["schedulerName", "percentageOfNodesToScore", "plugins", "pluginConfig"]);
  const name = field("schedulerName");
  const weights = weightsAt(field("plugins"));
  return {
    ...inherited,
    schedulerName: name.value === undefined ? defaultProfile.schedulerName : textOf(name),
    ...percentageIn(field("percentageOfNodesToScore")),
    ...(weights !== undefined && { weights }),
    ...pluginArguments(elementsOf(field("pluginConfig"))),
  };
}

function percentageIn(place: Place): Partial<Profile> {
  return place.value === undefined
    ? {}
    : { percentageOfNodesToScore: numberOf(place, { least: 0, most: 100 }) };
}

/** Filters cannot be turned off: a pod that is bound where it cannot be run would only be refused there. */
function weightsAt(place: Place): Profile["weights"] {
  if (place.value === undefined) return undefined;
  const field = fieldsOf(place, ["score"]);
  if (field("score").value === undefined) return undefined;
  const score = fieldsOf(field("score"), ["enabled", "disabled"]);
  const weights = new Map<ScoreName, number>();
  for (const disabled of elementsOf(score("disabled"))) {
    const name = oneOf(fieldsOf(disabled, ["name", "weight"])("name"), [...scoreNames, "*"]);
    for (const one of name === "*" ? scoreNames : [name]) weights.set(one, 0);
  }
  for (const enabled of elementsOf(score("enabled"))) {
    const plugin = fieldsOf(enabled, ["name", "weight"]);
    const weight = plugin("weight");
    weights.set(
      oneOf(plugin("name"), scoreNames),
      // As kube-scheduler has it: who says no weight means 1.
      weight.value === undefined ? 1 : Math.max(1, numberOf(weight, { least: 0, most: largestWeight })),
    );
  }
  return Object.fromEntries(weights);
}

const scoreNames = Object.keys(defaultWeights).filter((name): name is ScoreName => name in defaultWeights);

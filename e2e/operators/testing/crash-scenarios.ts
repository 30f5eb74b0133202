import { Application, applicationOperator } from "@kedge/application-operator";
import { RedisInstance } from "@kedge/redis-operator";
import { withDefaults } from "@kedge/schema";
import type { CrashScenario, TestEnv, TestOperator } from "@kedge/testkit";
import { seededRedisOperator } from "./operators.ts";

const cache = { namespace: "default", name: "cache" };
const shop = { namespace: "default", name: "shop" };

type Policy = "Retain" | "Delete";
type Step = (env: TestEnv) => Promise<unknown>;

const instance = (replicas: number, deletionPolicy: Policy): Step => {
  const object = withDefaults(RedisInstance, {
    metadata: cache,
    spec: { image: "redis:7.0", replicas, deletionPolicy },
  });
  return (env) => env.create(RedisInstance, object);
};

const changeInstance =
  (spec: object): Step =>
  (env) =>
    env.run(env.client.of(RedisInstance).patch(cache, { merge: { spec } }));

const deleteInstance: Step = (env) => env.run(env.client.of(RedisInstance).delete(cache));

const application = (replicas: number, deletionPolicy: Policy): Step => {
  const object = withDefaults(Application, {
    metadata: shop,
    spec: {
      image: "shop:1",
      port: 8080,
      replicas,
      deletionPolicy,
      environment: [{ name: "CURRENCY", value: "EUR" }],
      storage: { persistentVolumeClaims: [{ name: "photos", size: "1Gi" }] },
    },
  });
  return (env) => env.create(Application, object);
};

const changeApplication =
  (spec: object): Step =>
  (env) =>
    env.run(env.client.of(Application).patch(shop, { merge: { spec } }));

const deleteApplication: Step = (env) => env.run(env.client.of(Application).delete(shop));

const scaling = { minReplicas: 2, maxReplicas: 4, targetCPUUtilizationPercentage: 80 };

/** What is done to a Redis instance and to an application, by name: what was there, and what the user does. */
export const steps: Readonly<Record<string, readonly [TestOperator, prepare: Step | undefined, act: Step]>> =
  {
    "redis: create": [seededRedisOperator, undefined, instance(2, "Retain")],
    "redis: scale out": [seededRedisOperator, instance(1, "Retain"), changeInstance({ replicas: 3 })],
    "redis: scale in": [seededRedisOperator, instance(3, "Retain"), changeInstance({ replicas: 1 })],
    "redis: change the config": [
      seededRedisOperator,
      instance(2, "Retain"),
      changeInstance({ config: { maxmemory: "1gb" } }),
    ],
    "redis: grow the volumes": [
      seededRedisOperator,
      instance(2, "Retain"),
      changeInstance({ storage: { size: "2Gi" } }),
    ],
    "redis: delete, policy Retain": [seededRedisOperator, instance(2, "Retain"), deleteInstance],
    "redis: delete, policy Delete": [seededRedisOperator, instance(2, "Delete"), deleteInstance],
    "application: create": [applicationOperator, undefined, application(2, "Retain")],
    "application: scale out": [
      applicationOperator,
      application(1, "Retain"),
      changeApplication({ replicas: 3 }),
    ],
    "application: scale in": [
      applicationOperator,
      application(3, "Retain"),
      changeApplication({ replicas: 1 }),
    ],
    "application: change env and image": [
      applicationOperator,
      application(2, "Retain"),
      changeApplication({ image: "shop:2", environment: [{ name: "CURRENCY", value: "CHF" }] }),
    ],
    "application: give the replicas to an autoscaler": [
      applicationOperator,
      application(2, "Retain"),
      changeApplication({ scaling, resources: { requests: { cpu: "100m" } } }),
    ],
    "application: delete, policy Retain": [applicationOperator, application(2, "Retain"), deleteApplication],
    "application: delete, policy Delete": [applicationOperator, application(2, "Delete"), deleteApplication],
  };

/** What a deletion leaves: by policy Retain the data, else nothing at all. */
export const leftOf: Readonly<Record<string, readonly string[]>> = {
  "redis: delete, policy Retain": ["redis-data-cache-0", "redis-data-cache-1"].flatMap(claimWithVolume),
  "redis: delete, policy Delete": [],
  "application: delete, policy Retain": claimWithVolume("shop-photos"),
  "application: delete, policy Delete": [],
};

function claimWithVolume(name: string): readonly string[] {
  const claim = `PersistentVolumeClaim default/${name}`;
  return [claim, `PersistentVolume pvc-<${claim}>`];
}

/** One of `steps` as a scenario in which the operator, or the controllers, are killed. */
export function scenarioOf(name: string, killed?: string): CrashScenario {
  const found = steps[name];
  if (found === undefined) throw new Error(`there is no scenario ${name}`);
  const [operator, prepare, act] = found;
  return {
    options: { operators: [operator] },
    process: killed ?? operator.name,
    async prepare(env) {
      await prepare?.(env);
    },
    async act(env) {
      await act(env);
    },
  };
}

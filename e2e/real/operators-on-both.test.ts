import { readFile } from "node:fs/promises";
import { Application, applicationOperator } from "@kedge/application-operator";
import { localPathClass } from "@kedge/node/local-path-class";
import { deepEqual, findCondition, gvkOf, ifFound, type KubeObject } from "@kedge/machinery";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { StorageClass } from "@kedge/machinery/kinds/storage/v1";
import { RedisInstance, redisOperator } from "@kedge/redis-operator";
import { crdOf, parseObject } from "@kedge/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { ourCluster, realCluster, type Cluster } from "./testing/cluster.ts";
import { maskObjects, type RawObject } from "./testing/mask-objects.ts";
import { playKubelet, type PlayedKubelet } from "./testing/play-kubelet.ts";
import { readEvents, readObjects } from "./testing/read-objects.ts";
import { runOperators, type RunningOperators } from "./testing/run-operators.ts";
import { untilSame, type Sameness } from "./testing/until-same.ts";
import { until } from "./wait.ts";

const namespace = "default";
const instanceKey = { namespace, name: "sample" };
const applicationKey = { namespace, name: "my-app" };
let both: readonly Cluster[] = [];
const operators: RunningOperators[] = [];
const kubelets: PlayedKubelet[] = [];

beforeAll(async () => {
  both = await Promise.all([realCluster(), ourCluster()]);
  await Promise.all([...both.map(defineKinds), ...both.map(defineClass)]);
  operators.push(...(await Promise.all(both.map((cluster) => runOperators(cluster.transport())))));
  await Promise.all(both.map(wish));
});

afterAll(async () => {
  await Promise.all(kubelets.map((kubelet) => kubelet.stop()));
  await Promise.all(operators.map((running) => running.stop()));
  await Promise.all(both.map((cluster) => cluster.stop()));
});

describe("a RedisInstance and an Application on the real control plane and on ours", () => {
  it("get the same children", async ({ annotate }) => {
    await Promise.all(both.map((cluster) => untilSettled(cluster, ["Pending", "Creating"])));
    const { differences, count } = await compareBoth();
    await annotate(count, "count");
    expect(differences).toBe("");
  });

  it("say the same when their pods run", async ({ annotate }) => {
    const played = both.map(({ admin }) => playKubelet(admin, "node-1", { takesAll: true }));
    kubelets.push(...(await Promise.all(played)));
    await Promise.all(both.map((cluster) => untilSettled(cluster, ["Running", "Running"])));
    const { differences, count } = await compareBoth();
    await annotate(count, "count");
    expect(differences).toBe("");
  });

  it("are led to another template by the same steps", async ({ annotate }) => {
    await Promise.all(both.map(wishOtherwise));
    await Promise.all(both.map((cluster) => untilSettled(cluster, ["Running", "Running"])));
    const { differences, count } = await compareBoth();
    await annotate(count, "count");
    expect(differences).toBe("");
  });

  it("leave the same when they are deleted", async ({ annotate }) => {
    await Promise.all(both.map(wishNothing));
    await Promise.all(both.map(untilCollected));
    const { differences, count } = await compareBoth(objectsOf);
    await annotate(count, "count");
    expect(differences).toBe("");
  });
});

function compareBoth(read = objectsAndEventsOf): Promise<Sameness> {
  return untilSame(() => Promise.all(both.map(read)));
}

async function defineKinds({ admin }: Cluster): Promise<void> {
  const definitions = admin.of(CustomResourceDefinition);
  for (const kind of [...redisOperator().kinds, ...applicationOperator.kinds]) {
    const { metadata } = await definitions.create(crdOf(kind));
    await until(`${metadata.name} is served`, async () => {
      const { status } = await definitions.get({ name: metadata.name });
      return findCondition(status?.conditions, "Established")?.status === "True";
    });
  }
}

/** What `kedge up` has, too: claims that name no class get it. */
async function defineClass({ admin }: Cluster): Promise<void> {
  await admin.of(StorageClass).create(localPathClass);
}

/** What a user wants: the sample with two replicas more, and the application of examples/. */
async function wish({ admin }: Cluster): Promise<void> {
  const prerequisites = parseAllDocuments(await textOf("examples/application-prerequisites.yaml"));
  for (const document of prerequisites) {
    const object = document.toJS() as KubeObject & Record<string, unknown>;
    const kind = await admin.discovery.kind(gvkOf(object));
    await admin.of(kind).create(object);
  }
  const sample = parseObject(
    RedisInstance,
    parse(await textOf("config/samples/redis_v1_redisinstance.yaml")),
  );
  await admin.of(RedisInstance).create({ ...sample, spec: { ...sample.spec, replicas: 3 } });
  const application = parseObject(Application, parse(await textOf("examples/application.yaml")));
  await admin.of(Application).create(application);
}

function textOf(path: string): Promise<string> {
  return readFile(new URL(`../../${path}`, import.meta.url), "utf8");
}

async function wishOtherwise({ admin }: Cluster): Promise<void> {
  const config = { "maxmemory-policy": "noeviction" };
  await admin.of(RedisInstance).patch(instanceKey, { merge: { spec: { config } } });
  await admin.of(Application).patch(applicationKey, { merge: { spec: { image: "nginx:1.29" } } });
}

async function wishNothing({ admin }: Cluster): Promise<void> {
  await admin.of(RedisInstance).delete(instanceKey);
  await admin.of(Application).delete(applicationKey);
}

/** Both are in their phases, and then nothing changes for a while: there is no event that says "nothing will happen". */
async function untilSettled(cluster: Cluster, phases: readonly (string | undefined)[]): Promise<void> {
  const [redis = "gone", application = "gone"] = phases;
  await until(`the RedisInstance is ${redis} and the Application ${application}`, async () =>
    deepEqual(await phasesOf(cluster), phases),
  );
  let looks = 0;
  let last = "";
  await until("nothing changes any more", async () => {
    const now = JSON.stringify(maskObjects(await objectsAndEventsOf(cluster)));
    looks = now === last ? looks + 1 : 0;
    last = now;
    return looks > 40;
  });
}

/** The real garbage collector looks every 30 s for kinds that are new. */
async function untilCollected(cluster: Cluster): Promise<void> {
  await until("what has an owner is gone", async () => {
    const objects = await objectsOf(cluster);
    return objects.every(({ metadata }) => metadata.ownerReferences === undefined);
  });
}

/** What they say of their newest generation. */
async function phasesOf({ admin }: Cluster): Promise<readonly (string | undefined)[]> {
  const instance = await ifFound(admin.of(RedisInstance).get(instanceKey));
  const application = await ifFound(admin.of(Application).get(applicationKey));
  const isSeen = [instance, application].every(
    (object) => object?.status?.observedGeneration === object?.metadata.generation,
  );
  return isSeen ? [instance?.status?.status, application?.status?.phase] : ["not seen yet"];
}

async function objectsAndEventsOf(cluster: Cluster): Promise<readonly RawObject[]> {
  const events = await readEvents(cluster.admin, namespace);
  return [
    ...(await objectsOf(cluster)),
    ...events.filter(({ metadata }) => !autoscaling.test(metadata.name)),
  ];
}

async function objectsOf({ admin }: Cluster): Promise<readonly RawObject[]> {
  return (await readObjects(admin, namespace)).map(withoutAutoscaling).map(withoutCount);
}

const autoscaling = / of HorizontalPodAutoscaler /u;

/** Nothing serves metrics on the real control plane: its autoscaler says that, ours that there are none yet. */
function withoutAutoscaling(object: RawObject): RawObject {
  if (object.kind !== "HorizontalPodAutoscaler") return object;
  const { status: _, ...rest } = object;
  const { managedFields = [] } = object.metadata;
  const others = managedFields.filter(({ subresource }) => subresource !== "status");
  return { ...rest, kind: object.kind, metadata: { ...object.metadata, managedFields: others } };
}

/** How many changes of pods one write of a slice tells of, and of which it says the time, is a matter of time. */
function withoutCount(object: RawObject): RawObject {
  if (object.kind !== "EndpointSlice") return object;
  const { generation: _, annotations: __, managedFields: ___, ...metadata } = object.metadata;
  return { ...object, kind: object.kind, metadata };
}

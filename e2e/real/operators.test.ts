import { readFile } from "node:fs/promises";
import { Application, applicationOperator } from "@kedge/application-operator";
import { NetworkTransport, type Transport } from "@kedge/client";
import {
  controllerReference,
  findCondition,
  gvkOf,
  isControlledBy,
  isNotFound,
  realClock,
  type Kind,
  type KubeObject,
  type StoredObject,
} from "@kedge/machinery";
import { CustomResourceDefinition } from "@kedge/machinery/kinds/apiextensions/v1";
import { Deployment, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { HorizontalPodAutoscaler } from "@kedge/machinery/kinds/autoscaling/v2";
import {
  ConfigMap,
  Event,
  Namespace,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
  ServiceAccount,
} from "@kedge/machinery/kinds/core/v1";
import { RedisInstance, redisOperator } from "@kedge/redis-operator";
import { crdOf, parseObject } from "@kedge/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { startOracle, type Oracle } from "./oracle.ts";
import { runOperators, type RunningOperators } from "./testing/run-operators.ts";
import { until } from "./wait.ts";

let oracle: Oracle;
let operators: RunningOperators;

const namespace = "default";
const at = (name: string): { namespace: string; name: string } => ({ namespace, name });

beforeAll(async () => {
  oracle = await startOracle({ controllerManager: true });
  const definitions = oracle.admin.of(CustomResourceDefinition);
  for (const kind of [...redisOperator().kinds, ...applicationOperator.kinds]) {
    const { metadata } = await definitions.create(crdOf(kind));
    await until(`${metadata.name} is served`, async () => {
      const { status } = await definitions.get({ name: metadata.name });
      return findCondition(status?.conditions, "Established")?.status === "True";
    });
  }
  operators = await runOperators(onOracle());
});

afterAll(async () => {
  await operators?.stop();
  await oracle?.stop();
});

describe("a RedisInstance on real Kubernetes", () => {
  it("gets its children, owned by it, and says why it is not running yet", async () => {
    const sample = parseObject(RedisInstance, await example("config/samples/redis_v1_redisinstance.yaml"));
    const instance = await oracle.admin.of(RedisInstance).create(sample);
    await untilInstance("sample", "Pending");
    const { status } = await oracle.admin.of(RedisInstance).get(at("sample"));
    expect(status).toMatchObject({
      status: "Pending",
      ready: "False",
      readyReplicas: "0/1",
      observedGeneration: 1,
    });
    expect(status?.conditions?.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["Ready", "Pending", "FailoverAvailable", "SpecAccepted"]),
    );
    const children = [
      await oracle.admin.of(ConfigMap).get(at("sample")),
      await oracle.admin.of(Secret).get(at("sample-auth")),
      await oracle.admin.of(Service).get(at("sample")),
      await oracle.admin.of(Service).get(at("sample-headless")),
      await oracle.admin.of(StatefulSet).get(at("sample")),
    ];
    expect(children.map((child) => isControlledBy(child, instance))).toEqual(children.map(() => true));
  });

  it("keeps the password where it belongs", async () => {
    const secret = await oracle.admin.of(Secret).get(at("sample-auth"));
    const password = Buffer.from(secret.data?.["password"] ?? "", "base64").toString();
    expect(password).toMatch(/^[A-Za-z0-9]{32}$/u);
    const others = JSON.stringify([
      await oracle.admin.of(ConfigMap).get(at("sample")),
      await oracle.admin.of(StatefulSet).get(at("sample")),
      await oracle.admin.of(RedisInstance).get(at("sample")),
      (await oracle.admin.of(Event).list({ namespace }).all()).items,
    ]);
    expect(others).not.toContain(password);
  });

  it("keeps the password that the servers were given", async () => {
    const { data } = await oracle.admin.of(Secret).get(at("sample-auth"));
    const isBack = async (name: string): Promise<boolean> => {
      const { items } = await oracle.admin.of(Secret).list({ namespace }).all();
      const found = items.find(({ metadata }) => metadata.name === name);
      return found?.data?.["password"] === data?.["password"];
    };
    const isAccepted = async (): Promise<boolean> => {
      const { status } = await oracle.admin.of(RedisInstance).get(at("sample"));
      return findCondition(status?.conditions, "SpecAccepted")?.status === "True";
    };
    await oracle.admin.of(Secret).delete(at("sample-auth"));
    await until("the deleted Secret is made again", () => isBack("sample-auth"));
    await oracle.admin.of(Secret).delete(at("sample.password-in-use"));
    await until("our own is made again", () => isBack("sample.password-in-use"));
    const quoted = Buffer.from('"other"').toString("base64");
    await oracle.admin.of(Secret).patch(at("sample-auth"), { merge: { data: { password: quoted } } });
    await until("the change is refused", async () => !(await isAccepted()));
    expect(await isBack("sample.password-in-use")).toBe(true);
    await oracle.admin.of(Secret).delete(at("sample-auth"));
    await until("the way out was one", async () => (await isBack("sample-auth")) && (await isAccepted()));
  });

  it("sees a Secret without labels change", async () => {
    await oracle.admin.of(Secret).create({ metadata: at("late-auth") });
    const spec = { image: "redis:7.0" };
    await oracle.admin
      .of(RedisInstance)
      .create(parseObject(RedisInstance, { ...typeOf(RedisInstance), metadata: at("late"), spec }));
    await untilInstance("late", "Failed");
    await oracle.admin.of(Secret).patch(at("late-auth"), { merge: { data: { password: "bGF0ZQ==" } } });
    await untilInstance("late", "Pending");
    expect(await isThere(StatefulSet, "late")).toBe(true);
    await oracle.admin.of(RedisInstance).delete(at("late"));
  });

  it("makes pods that the restricted level lets in", async () => {
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await oracle.admin.of(Namespace).create({ metadata: { name: "restricted", labels } });
    const inside = (name: string) => ({ namespace: "restricted", name });
    const spec = { image: "redis:7.0", replicas: 2, podMetadata: { labels: { team: "shop" } } };
    await oracle.admin
      .of(RedisInstance)
      .create(parseObject(RedisInstance, { ...typeOf(RedisInstance), metadata: inside("cache"), spec }));
    await until("the StatefulSet controller was let make them", async () => {
      const { items } = await oracle.admin.of(Pod).list({ namespace: "restricted" }).all();
      return items.length === 2;
    });
    // Nobody looks the other way in that namespace.
    const containers = [{ name: "a", image: "redis:7.0" }];
    await expect(
      oracle.admin.of(Pod).create({ metadata: inside("any"), spec: { containers } }),
    ).rejects.toThrow("violates PodSecurity");
    await oracle.admin.of(RedisInstance).delete(inside("cache"));
  });

  it("has at most 16 pods", async () => {
    const merge = { spec: { replicas: 17 } };
    await expect(oracle.admin.of(RedisInstance).patch(at("sample"), { merge })).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining("spec.replicas in body should be less than or equal to 16") as string,
    });
  });

  it("refuses to change volumes, says so, and still does the rest", async () => {
    await oracle.admin
      .of(RedisInstance)
      .patch(at("sample"), { merge: { spec: { replicas: 2, storage: { size: "2Gi" } } } });
    await until("the change is refused", async () => {
      const { status } = await oracle.admin.of(RedisInstance).get(at("sample"));
      return findCondition(status?.conditions, "SpecAccepted")?.status === "False";
    });
    const { status } = await oracle.admin.of(RedisInstance).get(at("sample"));
    expect(status?.lastConditionMessage).toContain("spec.storage.size is 2Gi");
    const { spec } = await oracle.admin.of(StatefulSet).get(at("sample"));
    expect(spec?.replicas).toBe(2);
    expect(spec?.volumeClaimTemplates?.[0]?.spec.resources?.requests).toEqual({ storage: "1Gi" });
  });

  it("fails when a child's name is taken, and recovers when it is free", async () => {
    const other = await oracle.admin.of(ServiceAccount).get(at("default"));
    const ownerReferences = [controllerReference({ ...other, apiVersion: "v1", kind: "ServiceAccount" })];
    await oracle.admin.of(ConfigMap).create({ metadata: { ...at("taken"), ownerReferences } });
    const spec = { image: "redis:7.0" };
    await oracle.admin
      .of(RedisInstance)
      .create(parseObject(RedisInstance, { ...typeOf(RedisInstance), metadata: at("taken"), spec }));
    await untilInstance("taken", "Failed");
    const { status } = await oracle.admin.of(RedisInstance).get(at("taken"));
    expect(status?.lastConditionMessage).toContain("is controlled by ServiceAccount default");
    await oracle.admin.of(ConfigMap).delete(at("taken"));
    await untilInstance("taken", "Pending");
    expect(await isThere(StatefulSet, "taken")).toBe(true);
    await until("the events are written", async () => {
      const { items } = await oracle.admin.of(Event).list({ namespace }).all();
      const own = items.filter(({ involvedObject }) => involvedObject.name === "taken");
      return ["Failed", "Pending"].every((reason) => own.some((event) => event.reason === reason));
    });
  });

  it("leaves alone what nobody controls, also when it is deleted, unless it is given", async () => {
    const theirs = await oracle.admin.of(ConfigMap).create({ metadata: at("mine"), data: { theirs: "1" } });
    const spec = { image: "redis:7.0" };
    await oracle.admin
      .of(RedisInstance)
      .create(parseObject(RedisInstance, { ...typeOf(RedisInstance), metadata: at("mine"), spec }));
    await untilInstance("mine", "Failed");
    const { status } = await oracle.admin.of(RedisInstance).get(at("mine"));
    expect(status?.lastConditionMessage).toContain("kedge.dev/adopt-by=RedisInstance/mine");
    await oracle.admin.of(RedisInstance).delete(at("mine"));
    await untilGone(RedisInstance, "mine");
    const kept = await oracle.admin.of(ConfigMap).get(at("mine"));
    expect(kept.metadata.resourceVersion).toBe(theirs.metadata.resourceVersion);
    const annotations = { "kedge.dev/adopt-by": "RedisInstance/mine" };
    await oracle.admin.of(ConfigMap).patch(at("mine"), { merge: { metadata: { annotations } } });
    await oracle.admin
      .of(RedisInstance)
      .create(parseObject(RedisInstance, { ...typeOf(RedisInstance), metadata: at("mine"), spec }));
    await until("it is made", () => isThere(StatefulSet, "mine"));
    await oracle.admin.of(RedisInstance).delete(at("mine"));
    await untilGone(ConfigMap, "mine");
  });

  it("puts back the port of its Service, and keeps what else the Service has", async () => {
    const ports = async () => (await oracle.admin.of(Service).get(at("sample"))).spec?.ports;
    const before = await ports();
    const json = [{ op: "replace", path: "/spec/ports/0/port", value: 6380 } as const];
    await oracle.admin.of(Service).patch(at("sample"), { json });
    await until("the port is back", async () => (await ports())?.some(({ port }) => port === 6379) ?? false);
    expect(await ports()).toEqual(before);
  });

  it("is deleted with its children, and keeps its volumes", async () => {
    await until("the claim is there", () => isThere(PersistentVolumeClaim, "redis-data-sample-0"));
    await oracle.admin.of(RedisInstance).delete(at("sample"));
    await untilGone(RedisInstance, "sample");
    for (const kind of [StatefulSet, ConfigMap, Service]) await untilGone(kind, "sample");
    await untilGone(Secret, "sample-auth");
    expect(await isThere(PersistentVolumeClaim, "redis-data-sample-0")).toBe(true);
  });

  it("is deleted with its volumes when the user chose so", async () => {
    const spec = { image: "redis:7.0", deletionPolicy: "Delete" };
    await oracle.admin
      .of(RedisInstance)
      .create(parseObject(RedisInstance, { ...typeOf(RedisInstance), metadata: at("gone"), spec }));
    await until("the claim is there", () => isThere(PersistentVolumeClaim, "redis-data-gone-0"));
    await oracle.admin.of(RedisInstance).delete(at("gone"));
    await untilGone(RedisInstance, "gone");
    await untilGone(PersistentVolumeClaim, "redis-data-gone-0");
    const deletions = operators.writes.filter((write) => write.startsWith("DELETE"));
    expect(deletions.map((write) => write.split("/").at(-1))).toEqual(["gone", "redis-data-gone-0"]);
  });
});

describe("an Application on real Kubernetes", () => {
  it("gets its children from the example's manifest, and leaves the replicas to the autoscaler", async () => {
    for (const object of await examples("examples/application-prerequisites.yaml")) {
      const kind = await oracle.admin.discovery.kind(gvkOf(object));
      await oracle.admin.of(kind).create(object);
    }
    const manifest = parseObject(Application, await example("examples/application.yaml"));
    const application = await oracle.admin.of(Application).create(manifest);
    await until("the autoscaler is there", () => isThere(HorizontalPodAutoscaler, "my-app"));
    const deployment = await oracle.admin.of(Deployment).get(at("my-app"));
    expect(deployment.spec?.replicas).toBe(3);
    const children = [
      deployment,
      await oracle.admin.of(Service).get(at("my-app")),
      await oracle.admin.of(HorizontalPodAutoscaler).get(at("my-app")),
    ];
    expect(children.map((child) => isControlledBy(child, application))).toEqual(children.map(() => true));
    // What an autoscaler does.
    await oracle.admin.of(Deployment).scale.patch(at("my-app"), { merge: { spec: { replicas: 5 } } });
    await oracle.admin.of(Application).patch(at("my-app"), { merge: { spec: { image: "nginx:1.29" } } });
    await until("the new image is in the Deployment", async () => {
      const { spec } = await oracle.admin.of(Deployment).get(at("my-app"));
      return spec?.template.spec?.containers[0]?.image === "nginx:1.29";
    });
    const { spec } = await oracle.admin.of(Deployment).get(at("my-app"));
    expect(spec?.replicas).toBe(5);
  });

  it("says what it is doing", async () => {
    await until("its status is about the newest spec", async () => {
      const { metadata, status } = await oracle.admin.of(Application).get(at("my-app"));
      return status?.observedGeneration === metadata.generation;
    });
    const { status } = await oracle.admin.of(Application).get(at("my-app"));
    expect(status).toMatchObject({ phase: "Creating", readyReplicas: "0/5" });
  });
});

describe("an Application whose names are taken", () => {
  it("leaves claim and Deployment alone, and is refused a number that the autoscaler sets", async () => {
    const { scale } = oracle.admin.of(Application);
    await scale.patch(at("my-app"), { merge: { spec: { replicas: 7 } } });
    await until("the number is refused", async () => {
      const { status } = await oracle.admin.of(Application).get(at("my-app"));
      return status?.message?.startsWith("spec.replicas is 7 and changes nothing") ?? false;
    });
    await scale.patch(at("my-app"), { merge: { spec: { replicas: 3 } } });
    const claim = await oracle.admin.of(PersistentVolumeClaim).create({
      metadata: at("web-data"),
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    const storage = { persistentVolumeClaims: [{ name: "data", size: "1Gi" }] };
    const manifest = { ...typeOf(Application), metadata: at("web"), spec: { image: "nginx:1", storage } };
    await oracle.admin.of(Application).create(parseObject(Application, manifest));
    await until("it has failed", async () => {
      const { status } = await oracle.admin.of(Application).get(at("web"));
      return status?.phase === "Failed";
    });
    expect(await isThere(Deployment, "web")).toBe(false);
    await oracle.admin.of(Application).delete(at("web"));
    await untilGone(Application, "web");
    const { metadata } = await oracle.admin.of(PersistentVolumeClaim).get(at("web-data"));
    expect([metadata.uid, metadata.deletionTimestamp, metadata.ownerReferences]).toEqual([
      claim.metadata.uid,
      undefined,
      undefined,
    ]);
  });
});

describe("operators that start again", () => {
  it("write nothing when nothing has changed", async () => {
    const spec = { image: "redis:7.0", replicas: 3, resources: { limits: { cpu: 1, memory: "1024Mi" } } };
    await oracle.admin
      .of(RedisInstance)
      .create(parseObject(RedisInstance, { ...typeOf(RedisInstance), metadata: at("still"), spec }));
    await untilInstance("still", "Pending");
    await untilQuiet(operators);
    await operators.stop();
    operators = await runOperators(onOracle());
    await untilQuiet(operators);
    expect(operators.writes).toEqual([]);
  });
});

describe("an Application that is deleted", () => {
  it("takes its children with it, and keeps its volumes", async () => {
    // As an older version left it.
    const { apiVersion, kind, metadata } = await oracle.admin.of(Application).get(at("my-app"));
    const ownerReferences = [controllerReference({ apiVersion, kind, metadata })];
    await oracle.admin
      .of(PersistentVolumeClaim)
      .patch(at("my-app-app-data"), { merge: { metadata: { ownerReferences } } });
    await oracle.admin.of(Application).delete(at("my-app"));
    await untilGone(Application, "my-app");
    await untilGone(Deployment, "my-app");
    await untilGone(Service, "my-app");
    await untilGone(HorizontalPodAutoscaler, "my-app");
    const claim = await oracle.admin.of(PersistentVolumeClaim).get(at("my-app-app-data"));
    expect([claim.metadata.deletionTimestamp, claim.metadata.ownerReferences]).toEqual([
      undefined,
      undefined,
    ]);
    expect(operators.writes.filter((write) => write.startsWith("DELETE"))).toEqual([]);
  });

  it("takes its volumes, too, when the user chose so, also those that an earlier one of its name left", async () => {
    const manifest = parseObject(Application, await example("examples/application.yaml"));
    await oracle.admin
      .of(Application)
      .create({ ...manifest, spec: { ...manifest.spec, deletionPolicy: "Delete" } });
    await until("the Deployment is there", () => isThere(Deployment, "my-app"));
    await oracle.admin.of(Application).delete(at("my-app"));
    await untilGone(PersistentVolumeClaim, "my-app-app-data");
    expect(operators.writes.filter((write) => write.startsWith("DELETE"))).toHaveLength(1);
  });
});

function onOracle(): Transport {
  return new NetworkTransport(oracle.adminConfig, { clock: realClock });
}

async function example(path: string): Promise<unknown> {
  return parse(await readFile(new URL(`../../${path}`, import.meta.url), "utf8"));
}

type Manifest = KubeObject & Record<string, unknown>;

/** The objects of a file with several. */
async function examples(path: string): Promise<readonly Manifest[]> {
  const text = await readFile(new URL(`../../${path}`, import.meta.url), "utf8");
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

function typeOf({ group, version, kind }: Kind): { apiVersion: string; kind: string } {
  return { apiVersion: `${group}/${version}`, kind };
}

async function untilInstance(name: string, phase: string): Promise<void> {
  await until(`${name} is ${phase}`, async () => {
    const { status } = await oracle.admin.of(RedisInstance).get(at(name));
    return status?.status === phase;
  });
}

/** Nothing written since the last look, several looks long: there is no event that says "nothing will happen". */
async function untilQuiet(running: RunningOperators): Promise<void> {
  let looks = 0;
  let last = -1;
  await until("the operators are quiet", () => {
    const { length } = running.writes;
    looks = length === last ? looks + 1 : 0;
    last = length;
    return Promise.resolve(looks > 60);
  });
}

async function isThere<T extends StoredObject>(kind: Kind<T, "Namespaced">, name: string): Promise<boolean> {
  try {
    await oracle.admin.metadataOf(kind).get(at(name));
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function untilGone<T extends StoredObject>(kind: Kind<T, "Namespaced">, name: string): Promise<void> {
  // The real garbage collector looks every 30 s for kinds that are new.
  await until(`${kind.kind} ${name} is gone`, async () => !(await isThere(kind, name)), 120_000);
}

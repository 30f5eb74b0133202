import { apiVersionOf, isNotFound, type Kind } from "@kedge/machinery";
import { ControllerRevision, Deployment, ReplicaSet, StatefulSet } from "@kedge/machinery/kinds/apps/v1";
import { Endpoints, Pod, Service, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startOracle, type Oracle } from "./oracle.ts";
import type { RawObject } from "./testing/mask-objects.ts";
import { playKubelet, type PlayedKubelet } from "./testing/play-kubelet.ts";
import { readEvents } from "./testing/read-objects.ts";
import { runControllers, type RunningControllers } from "./testing/run-controllers.ts";
import { untilSame } from "./testing/until-same.ts";
import { until } from "./wait.ts";

/** Two real API servers: one with the real controller-manager and scheduler, one with ours. The same is done on both. */
interface Side {
  readonly oracle: Oracle;
  readonly kubelet: PlayedKubelet;
}

const namespace = "default";
const at = (name: string): { namespace: string; name: string } => ({ namespace, name });
let controllers: RunningControllers;
const sides: Side[] = [];

beforeAll(async () => {
  const [real, other] = await Promise.all([
    startOracle({ controllerManager: true, scheduler: true }),
    startOracle(),
  ]);
  controllers = await runControllers({ config: other.adminConfig, authority: "none" });
  for (const oracle of [real, other]) {
    sides.push({ oracle, kubelet: await playKubelet(oracle.admin, "node-1") });
    await until("the namespace has its service account", () =>
      oracle.admin
        .of(ServiceAccount)
        .get(at("default"))
        .then(() => true)
        .catch((error: unknown) => !isNotFound(error) && Promise.reject(error as Error)),
    );
  }
});

afterAll(async () => {
  await controllers?.stop();
  await Promise.all(sides.map(({ kubelet }) => kubelet.stop()));
  await Promise.all(sides.map(({ oracle }) => oracle.stop()));
});

it("a Deployment, its template changed, put back and its size changed, leaves the same", async ({
  annotate,
}) => {
  const differences = await differencesAfter(async (side) => {
    const deployments = side.oracle.admin.of(Deployment);
    const metadata = { ...at("web"), annotations: { note: "kept" } };
    await side.oracle.admin.of(Service).create(serviceFor("web", {}));
    await deployments.create({ metadata, spec: { replicas: 3, ...podsOf("web", "1") } });
    await untilDone(side, Deployment, "web");
    for (const version of ["2", "1"]) {
      await deployments.patch(at("web"), { merge: { spec: podsOf("web", version) } });
      await untilDone(side, Deployment, "web");
    }
    await deployments.patch(at("web"), { merge: { spec: { replicas: 2 } } });
    await untilDone(side, Deployment, "web");
  }, annotate);
  expect(differences).toBe("");
});

it("a Deployment that recreates, and is then paused, leaves the same", async ({ annotate }) => {
  const differences = await differencesAfter(async (side) => {
    const deployments = side.oracle.admin.of(Deployment);
    const strategy = { type: "Recreate" };
    await deployments.create({ metadata: at("re"), spec: { strategy, replicas: 2, ...podsOf("re", "1") } });
    await untilDone(side, Deployment, "re");
    await deployments.patch(at("re"), { merge: { spec: podsOf("re", "2") } });
    await untilDone(side, Deployment, "re");
    await deployments.patch(at("re"), { merge: { spec: { paused: true } } });
    await until("it is said to be paused", async () => {
      const { status } = await deployments.get(at("re"));
      return (status?.conditions ?? []).some(({ reason }) => reason === "DeploymentPaused");
    });
  }, annotate);
  expect(differences).toBe("");
});

it("a StatefulSet, its template changed, leaves the same", async ({ annotate }) => {
  const differences = await differencesAfter(async (side) => {
    const sets = side.oracle.admin.of(StatefulSet);
    const metadata = { ...at("db"), annotations: { note: "kept" } };
    await side.oracle.admin.of(Service).create(serviceFor("db", { clusterIP: "None" }));
    await sets.create({ metadata, spec: { serviceName: "db", replicas: 2, ...podsOf("db", "1") } });
    await untilDone(side, StatefulSet, "db");
    await sets.patch(at("db"), { merge: { spec: podsOf("db", "2") } });
    await until("the update is complete", async () => {
      const { metadata: now, status } = await sets.get(at("db"));
      const isSeen = status?.observedGeneration === now.generation;
      return isSeen && status?.updatedReplicas === 2 && status.currentRevision === status.updateRevision;
    });
  }, annotate);
  expect(differences).toBe("");
});

/** Does the same on both sides, and tells what differs then: "" when nothing does. */
async function differencesAfter(
  act: (side: Side) => Promise<void>,
  annotate: (message: string) => Promise<unknown>,
): Promise<string> {
  await Promise.all(sides.map(act));
  const { differences, count } = await untilSame(() => Promise.all(sides.map(read)));
  await annotate(count);
  return differences;
}

const kinds: readonly Kind[] = [
  Service,
  Deployment,
  ReplicaSet,
  StatefulSet,
  ControllerRevision,
  EndpointSlice,
  Endpoints,
  Pod,
];

async function read({ oracle }: Side): Promise<readonly RawObject[]> {
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const root = kind.group === "" ? "api" : "apis";
      const path = `/${root}/${apiVersionOf(kind)}/namespaces/${namespace}/${kind.plural}`;
      const { items } = (await oracle.admin.getJson(path)) as { readonly items: readonly RawObject[] };
      return items.map((item): RawObject => withoutHistory({ ...item, kind: kind.kind }));
    }),
  );
  const objects = lists.flat().filter(({ metadata }) => metadata.name !== "kubernetes");
  const events = (await readEvents(oracle.admin, namespace)).filter(isPlain);
  // The original scheduler writes events of the newer kind, which has no source.
  return [...objects, ...events.map((event) => ({ ...event, source: undefined }))];
}

/** Not who wrote a field, and how often slices were written: that depends on the course of time. */
function withoutHistory(object: RawObject): RawObject {
  const { managedFields: _, ...metadata } = object.metadata;
  const { generation: __, annotations: ___, ...uncounted } = metadata;
  const isCounted = object.kind === EndpointSlice.kind || object.kind === Endpoints.kind;
  return { ...object, metadata: isCounted ? uncounted : metadata };
}

/** Which events are combined depends on how close together they come. */
function isPlain({ message }: RawObject): boolean {
  return !String(message).startsWith("(combined");
}

async function untilDone(
  { oracle }: Side,
  kind: typeof Deployment | typeof StatefulSet,
  name: string,
): Promise<void> {
  await until(`${kind.kind} ${name} is done`, async () => {
    const { metadata, spec, status } = await oracle.admin.of(kind).get(at(name));
    const counts = [
      status?.replicas,
      status?.updatedReplicas,
      status?.readyReplicas,
      status?.availableReplicas,
    ];
    const isSeen = status?.observedGeneration === metadata.generation;
    return isSeen && counts.every((count) => count === spec.replicas);
  });
}

function podsOf(app: string, version: string) {
  const ports = [{ name: "http", containerPort: 8080 }];
  return {
    selector: { matchLabels: { app } },
    template: {
      metadata: { labels: { app }, annotations: { note: "template" } },
      spec: { containers: [{ name: "main", image: `${app}:${version}`, ports }] },
    },
  };
}

function serviceFor(app: string, spec: { readonly clusterIP?: string }) {
  const ports = [{ name: "http", port: 80, targetPort: "http" }];
  return { metadata: { ...at(app), labels: { team: "a" } }, spec: { selector: { app }, ports, ...spec } };
}

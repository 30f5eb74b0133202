import { describe, expect, it } from "vitest";
import { findCauses } from "./find-causes.ts";
import { Situation, type AnyObject, type Facts } from "./situation.ts";
import { ago, claim, facts, node, object, pod, warning } from "./testing/facts.ts";

/** The causes as sentences, with what to try. */
function why(target: AnyObject, more: Partial<Facts> = {}): readonly string[] {
  const causes = findCauses(target, new Situation(facts(target, more)));
  return causes.map(({ about, says, fix }) => `${about.kind} ${about.metadata.name} ${says} | ${fix ?? ""}`);
}
const waits = (reason: string, message?: string) => ({
  containerStatuses: [
    { name: "app", image: "app:1", ready: false, restartCount: 3, state: { waiting: { reason, message } } },
  ],
});
const noNode = { nodeName: undefined };
const unscheduled = (message: string) => ({
  spec: noNode,
  status: {
    phase: "Pending",
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
  },
});
const uses = (claimName: string) => [{ name: "data", persistentVolumeClaim: { claimName } }];

describe("a pod", () => {
  it.each([
    {
      what: "that is ready",
      it: pod("a", { status: { conditions: [{ type: "Ready", status: "True" }] } }),
      says: [],
    },
    {
      what: "that no node has room for",
      it: pod("a", unscheduled("0/1 nodes are available: 1 Insufficient cpu.")),
      says: ["cannot be scheduled: 0/1 nodes are available: 1 Insufficient cpu. | ask for less"],
    },
    {
      what: "that no node fits which is up: taints come last",
      it: pod(
        "a",
        unscheduled(
          "1 node(s) had untolerated taint(s), 2 node(s) didn't match Pod's node affinity/selector.",
        ),
      ),
      says: ["| kubectl label node NODE KEY=VALUE"],
    },
    {
      what: "that no scheduler knows",
      it: pod("a", { spec: { ...noNode, schedulerName: "mine" }, status: { phase: "Pending" } }),
      says: ["was looked at by no scheduler (mine)"],
    },
    {
      what: "with gates",
      it: pod("a", { spec: { ...noNode, schedulingGates: [{ name: "example.com/quota" }] } }),
      says: ["scheduling gates away: example.com/quota"],
    },
    {
      what: "without an image",
      it: pod("a", { status: waits("ImagePullBackOff", 'no image "app:1" here') }),
      says: ['has no image for container app: no image "app:1" here'],
    },
    {
      what: "without its secret",
      it: pod("a", { status: waits("CreateContainerConfigError", 'secret "web" not found') }),
      says: ['cannot start container app: secret "web" not found | kubectl create secret generic web'],
    },
    {
      what: "that crashes",
      it: pod("a", {
        status: {
          containerStatuses: [
            {
              name: "app",
              ready: false,
              restartCount: 4,
              state: { waiting: { reason: "CrashLoopBackOff" } },
              lastState: { terminated: { exitCode: 3, reason: "Error" } },
            },
          ],
        },
      }),
      says: ["crashes: container app ended with code 3, 5 times | kubectl logs a -c app --previous"],
    },
    {
      what: "that runs out of memory",
      it: pod("a", {
        spec: { containers: [{ name: "app", resources: { limits: { memory: "64Mi" } } }] },
        status: {
          containerStatuses: [
            {
              name: "app",
              ready: false,
              restartCount: 0,
              state: { terminated: { exitCode: 137, reason: "OOMKilled" } },
            },
          ],
        },
      }),
      says: ["ran out of memory in container app, once | raise resources.limits.memory"],
    },
    {
      what: "whose init container runs on",
      it: pod("a", {
        status: {
          initContainerStatuses: [
            { name: "wait", ready: false, state: { running: { startedAt: ago(120) } }, restartCount: 0 },
          ],
          ...waits("PodInitializing"),
        },
      }),
      says: ["waits for its init container wait, which has run for 2 min"],
    },
    {
      what: "that waits for a readiness gate",
      it: pod("a", {
        spec: { readinessGates: [{ conditionType: "example.com/lb" }] },
        status: { containerStatuses: [{ name: "app", ready: true, restartCount: 0 }] },
      }),
      says: ["waits for its readiness gate example.com/lb"],
    },
    {
      what: "that was evicted",
      it: pod("a", {
        status: { phase: "Failed", reason: "Evicted", message: "The node was low on memory." },
      }),
      says: ["has failed (Evicted): The node was low on memory. | kubectl delete pod a"],
    },
  ])("$what", ({ it: target, says }) => {
    const found = why(target, { pods: [target] });
    expect(found).toHaveLength(says.length);
    for (const [at, text] of says.entries()) expect(found[at]).toContain(text);
  });

  it("whose volume cannot be mounted, or whose probe fails, by its events", () => {
    const target = pod("a", { status: waits("ContainerCreating") });
    const mount = warning("pod-a", "FailedMount", 'configmap "conf" not found', 4);
    expect(why(target, { pods: [target], events: [mount] })[0]).toBe(
      'Pod a cannot start: configmap "conf" not found | kubectl create configmap conf --from-literal=KEY=VALUE',
    );
    const runs = {
      containerStatuses: [{ name: "app", ready: false, state: { running: { startedAt: ago(9) } } }],
    };
    const started = pod("b", { status: runs });
    const probe = warning("pod-b", "Unhealthy", "Readiness probe failed: connection refused");
    expect(why(started, { pods: [started], events: [probe] })[0]).toContain(
      "is not ready: Readiness probe failed: connection refused",
    );
  });

  it("whose node is gone", () => {
    const target = pod("a");
    expect(why(target, { pods: [target], nodes: [node("node-1", "Unknown")] })[0]).toMatch(
      /^Node node-1 is gone: it has not reported for 5 min/u,
    );
    expect(why(target, { pods: [target], nodes: [] })[0]).toContain("Node node-1 does not exist any more");
  });

  it("whose claim has no volume: the claim is the cause", () => {
    const target = pod("a", { spec: { ...noNode, volumes: uses("data") }, status: { phase: "Pending" } });
    const of = (spec: object, more: Partial<Facts> = {}): string | undefined =>
      why(target, { pods: [target], claims: [claim("data", spec)], ...more })[0];
    expect(of({ storageClassName: "fast" })).toContain(
      "PersistentVolumeClaim data wants the storage class fast, which does not exist",
    );
    expect(of({}, { storageClasses: [] })).toContain("names no storage class, and none is the default");
    const failed = warning("claim-data", "ProvisioningFailed", "no space");
    expect(of({ storageClassName: "standard" }, { events: [failed] })).toContain("gets no volume: no space");
    expect(why(target, { pods: [target] })[0]).toContain("uses the claim data, which does not exist");
  });
});

describe("what owns pods", () => {
  const wanted = { spec: { replicas: 2 } };

  it("is followed to them through what it owns, and only through the newest ReplicaSet", () => {
    const of = (name: string, revision: string): AnyObject => ({
      ...object("ReplicaSet", name, { owners: ["Deployment-web"], ...wanted }),
      metadata: {
        ...object("ReplicaSet", name, { owners: ["Deployment-web"] }).metadata,
        annotations: { "deployment.kubernetes.io/revision": revision },
      },
    });
    const owned = (name: string, owner: string, reason: string) =>
      pod(name, { metadata: { ownerReferences: [{ uid: owner }] }, status: waits(reason, reason) });
    const pods = [
      owned("old", "ReplicaSet-one", "ErrImagePull"),
      owned("new", "ReplicaSet-two", "InvalidImageName"),
    ];
    const found = why(object("Deployment", "web", wanted), {
      pods,
      others: [of("one", "9"), of("two", "10")],
    });
    expect(found).toEqual([expect.stringContaining("Pod new has no image")]);
  });

  it.each([
    [
      'pods "a" is forbidden: exceeded quota: small, requested: pods=1',
      "kubectl describe resourcequota small, then",
    ],
    ['admission webhook "policy.example.com" denied the request: no', "a webhook refuses"],
    ['failed calling webhook "policy.example.com": connection refused', "grep policy.example.com"],
    [
      'pods "a" is forbidden: error looking up service account default/app: serviceaccount "app" not found',
      "kubectl create serviceaccount app",
    ],
  ])("that may not create them: %s", (message, says) => {
    const target = object("ReplicaSet", "web", wanted);
    expect(why(target, { events: [warning("ReplicaSet-web", "FailedCreate", message)] })[0]).toContain(says);
  });

  it("that somebody stopped", () => {
    expect(why(object("Deployment", "web", { spec: { paused: true } }))[0]).toContain(
      "kubectl rollout resume",
    );
    expect(why(object("Job", "one", { spec: { suspend: true } }))[0]).toContain("is suspended");
  });

  it("a job is held up by the pods that fail, until it is complete", () => {
    const failed = { state: { terminated: { exitCode: 3 } } };
    const crashed = pod("one-a", {
      metadata: { ownerReferences: [{ uid: "Job-one" }] },
      status: {
        phase: "Failed",
        containerStatuses: [{ name: "app", ready: false, restartCount: 0, ...failed }],
      },
    });
    const complete = { conditions: [{ type: "Complete", status: "True" }] };
    expect(why(object("Job", "one"), { pods: [crashed] })[0]).toContain("container app ended with code 3");
    expect(why(object("Job", "one", { status: complete }), { pods: [crashed] })).toEqual([]);
  });

  it("a Service with nobody behind it, or somebody who is not ready", () => {
    const service = object("Service", "web", { spec: { selector: { app: "web" } } });
    expect(why(service)[0]).toContain("no pod has the labels app=web");
    const behind = pod("a", { metadata: { labels: { app: "web" } }, status: waits("ErrImagePull", "no") });
    expect(why(service, { pods: [behind] })[0]).toContain("Pod a has no image");
  });
});

describe("an object of an operator", () => {
  it("that is refused, held, seen by nobody, or seen before it changed", () => {
    const refused = {
      conditions: [{ type: "SpecAccepted", status: "False", reason: "Bad", message: "no such key" }],
    };
    expect(why(object("RedisInstance", "a", { status: refused }))[0]).toContain("is refused: no such key");
    const held = {
      conditions: [{ type: "PrimaryHeld", status: "True", reason: "Empty", message: "restore, or discard" }],
    };
    expect(why(object("RedisInstance", "a", { status: held }))[0]).toContain("is held: restore, or discard");
    expect(why(object("RedisInstance", "a"))[0]).toContain("was looked at by no operator for 60 s");
    expect(why(object("RedisInstance", "a"), { operatorsDown: "kedge operator" })[0]).toBe(
      "RedisInstance a is looked after by nobody: no operator runs | kedge operator",
    );
    const old = object("RedisInstance", "a", {
      metadata: { name: "a", generation: 3 },
      status: { observedGeneration: 2 },
    });
    expect(why(old)[0]).toContain("has changed, and no operator has looked at it since");
  });

  it("whose own words are told when nothing below explains it", () => {
    const status = {
      observedGeneration: 1,
      conditions: [{ type: "Ready", status: "False", reason: "X", message: "later" }],
    };
    expect(why(object("Widget", "a", { status }))).toEqual([
      "Widget a says: later | kubectl describe widget/a",
    ]);
  });

  it("whose own words are nearer to the cause than a Service of its own with nobody behind it", () => {
    const status = {
      observedGeneration: 1,
      conditions: [{ type: "Ready", status: "False", reason: "NameTaken", message: "there is another" }],
    };
    const service = object("Service", "a-headless", {
      owners: ["Widget-a"],
      spec: { selector: { app: "a" } },
    });
    expect(why(object("Widget", "a", { status }), { others: [service] })[0]).toContain("there is another");
  });
});

it("an old warning is no news of what became ready since", () => {
  const ready = (since: number): AnyObject =>
    object("RedisInstance", "a", {
      status: {
        observedGeneration: 1,
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: ago(since) }],
      },
    });
  const events = [warning("RedisInstance-a", "Unschedulable", "pod a-0 is on no node")];
  expect(why(ready(4), { events })).toEqual([]);
  expect(why(ready(6), { events })[0]).toContain("says: pod a-0 is on no node");
});

it("a cordoned node is named where it is asked about, and where it is missed", () => {
  const cordoned = { ...node("node-2", "True"), spec: { unschedulable: true } };
  const nodes = [node("node-1", "True"), cordoned];
  const words = "0/2 nodes are available: 1 node(s) were unschedulable, 1 node(s) had untolerated taint(s).";
  const target = pod("a", unscheduled(words));
  expect(why(target, { pods: [target], nodes })[0]).toContain("| kubectl uncordon node-2");
  const asked = { apiVersion: "v1", kind: "Node", metadata: { name: "node-2", uid: "node-node-2" } };
  expect(why(asked, { nodes })).toEqual([
    "Node node-2 is cordoned: no new pod is placed on it | kubectl uncordon node-2",
  ]);
});

it("a node whose agent is down is no ready node, though the cluster has not noticed", () => {
  const asked = { apiVersion: "v1", kind: "Node", metadata: { name: "node-1", uid: "node-node-1" } };
  const known = { agentsDown: ["node-1"], startsNode: "kedge node start" };
  const says = "Node node-1 does not run: its agent is down, which the cluster notices after a while only";
  expect(why(asked, known)).toEqual([`${says} | kedge node start node-1`]);
  expect(why(asked, { ...known, nodes: [node("node-1", "Unknown")] })[0]).toContain("Node node-1 is gone");
  expect(why(asked)).toEqual([]);
});

describe("a budget", () => {
  const budget = (disruptionsAllowed: number) =>
    object("PodDisruptionBudget", "web", {
      apiVersion: "policy/v1",
      spec: { minAvailable: 2, selector: { matchLabels: { app: "web" } } },
      status: { disruptionsAllowed, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2 },
    });
  const metadata = { labels: { app: "web" } };
  const ready = { conditions: [{ type: "Ready", status: "True" }] };
  const [a, b] = [pod("a", { metadata, status: ready }), pod("b", { metadata, status: ready })];

  it("that allows evictions", () => {
    expect(why(budget(1), { pods: [a, b] })).toEqual([]);
  });

  it("that has no pod to spare", () => {
    expect(why(budget(0), { pods: [a, b] })).toEqual([
      "PodDisruptionBudget web has no pod to spare: 2 of its pods are healthy, and 2 must be (minAvailable: 2) | " +
        "more replicas, or another rule: kubectl edit poddisruptionbudget/web",
    ]);
  });

  it("one of whose pods is in trouble: that is the cause", () => {
    const broken = pod("c", { metadata, status: waits("ImagePullBackOff", "no image") });
    const causes = why(budget(0), { pods: [a, b, broken] });
    expect(causes).toHaveLength(1);
    expect(causes[0]).toMatch(/^Pod c /u);
  });

  it("that is about no pod", () => {
    expect(why(budget(0), { pods: [pod("other", { status: ready })] })[0]).toContain("is about no pod");
  });
});

describe("what is being deleted", () => {
  const deleted = { deletionTimestamp: ago(-20), deletionGracePeriodSeconds: 30 };

  it("a pod whose program does not end", () => {
    const running = {
      containerStatuses: [{ name: "app", ready: true, state: { running: { startedAt: ago(99) } } }],
    };
    const target = pod("a", { metadata: deleted, status: running });
    expect(why(target, { pods: [target] })[0]).toContain(
      "has not ended 10 s after it was asked to (SIGTERM): app still runs",
    );
    expect(why(target, { pods: [target], nodes: [node("node-1", "Unknown")] })[0]).toContain(
      "--force --grace-period=0",
    );
    const stuck = warning("pod-a", "FailedUnmount", "device is busy");
    expect(why(target, { pods: [target], events: [stuck] })[0]).toContain(
      "cannot let go of a volume: device is busy",
    );
  });

  it("an object with a finalizer that nobody takes away", () => {
    const target = object("Widget", "a", {
      metadata: { name: "a", deletionTimestamp: ago(9), finalizers: ["example.com/one", "example.com/two"] },
    });
    const [one, two] = why(target);
    expect(one).toContain("is held by the finalizer example.com/one");
    expect(two).toContain('"path":"/metadata/finalizers/1"');
  });

  it("an object whose operator does not run", () => {
    const target = object("RedisInstance", "a", {
      metadata: { name: "a", deletionTimestamp: ago(9), finalizers: ["redis.github.com/finalizer"] },
    });
    expect(why(target, { operatorsDown: "kedge operator" })[0]).toContain(
      "and no operator runs | kedge operator",
    );
  });

  it("a claim that a pod uses, and what waits for what it owns", () => {
    const used = {
      name: "data",
      uid: "c",
      deletionTimestamp: ago(9),
      finalizers: ["kubernetes.io/pvc-protection"],
    };
    const user = pod("a", { spec: { volumes: uses("data") } });
    expect(why(object("PersistentVolumeClaim", "data", { metadata: used }), { pods: [user] })[0]).toContain(
      "is still used by pod a | kubectl delete pod a",
    );
    const parent = object("Deployment", "web", {
      metadata: { name: "web", uid: "d", deletionTimestamp: ago(9), finalizers: ["foregroundDeletion"] },
    });
    const child = pod("b", {
      metadata: { ...deleted, ownerReferences: [{ uid: "d" }], finalizers: ["example.com/x"] },
    });
    expect(why(parent, { pods: [child] })[0]).toContain("Pod b is held by the finalizer example.com/x");
  });

  it("a namespace, by what is stuck in it, or else by its conditions", () => {
    const shop = object("Namespace", "shop", {
      metadata: { name: "shop", deletionTimestamp: ago(9) },
      status: {
        conditions: [{ type: "NamespaceFinalizersRemaining", status: "True", message: "widgets remain" }],
      },
    });
    expect(why(shop)[0]).toContain("Namespace shop widgets remain");
    const stuck = object("Job", "one", {
      metadata: { name: "one", deletionTimestamp: ago(9), finalizers: ["x/y"] },
    });
    expect(why(shop, { others: [stuck] })).toEqual([
      expect.stringContaining("Job one is held by the finalizer x/y"),
    ]);
  });
});

import { describe, expect, test } from "vitest";
import { writeAmounts } from "./amounts.ts";
import { countedResource, evaluatorOf } from "./evaluators.ts";
import { isCounted } from "./scopes.ts";
import type { CountingQuota, Evaluator } from "./types.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

function evaluator(plural: string, group = ""): Evaluator {
  const found = evaluatorOf({ group, plural });
  if (found === undefined) throw new Error(`${plural} are not counted`);
  return found;
}

const pods = evaluator("pods");

const container = (name: string, requests: Record<string, string>, more: object = {}) => ({
  name,
  resources: { requests },
  ...more,
});

describe("what a pod uses", () => {
  test.each<{ name: string; pod: object; usage: Record<string, string> }>([
    {
      name: "all containers together, requests and limits",
      pod: {
        spec: {
          containers: [
            container("a", { cpu: "1", memory: "1Gi" }),
            { name: "b", resources: { requests: { cpu: "500m" }, limits: { cpu: "2" } } },
          ],
        },
      },
      usage: {
        "count/pods": "1",
        pods: "1",
        cpu: "1500m",
        "requests.cpu": "1500m",
        "limits.cpu": "2",
        memory: "1Gi",
        "requests.memory": "1Gi",
      },
    },
    {
      name: "the most of an init container beside the sidecars before it, and of what runs after",
      pod: {
        spec: {
          initContainers: [
            container("sidecar", { cpu: "1" }, { restartPolicy: "Always" }),
            container("big", { cpu: "5" }),
          ],
          containers: [container("a", { cpu: "2" })],
        },
      },
      usage: { "count/pods": "1", pods: "1", cpu: "6", "requests.cpu": "6" },
    },
    {
      name: "what the pod itself says, and its overhead",
      pod: {
        spec: {
          resources: { requests: { cpu: "3" } },
          overhead: { cpu: "100m" },
          containers: [container("a", { cpu: "2" })],
        },
      },
      usage: { "count/pods": "1", pods: "1", cpu: "3100m", "requests.cpu": "3100m" },
    },
    {
      name: "what a container still has while it is made smaller",
      pod: {
        spec: { containers: [container("a", { cpu: "1" })] },
        status: { containerStatuses: [{ name: "a", resources: { requests: { cpu: "2" } } }] },
      },
      usage: { "count/pods": "1", pods: "1", cpu: "2", "requests.cpu": "2" },
    },
    {
      name: "extended resources and huge pages by their requests",
      pod: { spec: { containers: [container("a", { "example.com/gpu": "2", "hugepages-2Mi": "4Mi" })] } },
      usage: {
        "count/pods": "1",
        pods: "1",
        "requests.example.com/gpu": "2",
        "hugepages-2Mi": "4Mi",
        "requests.hugepages-2Mi": "4Mi",
      },
    },
    {
      name: "only itself when it has ended",
      pod: { spec: { containers: [container("a", { cpu: "1" })] }, status: { phase: "Failed" } },
      usage: { "count/pods": "1" },
    },
    {
      name: "only itself when its node should have removed it by now",
      pod: {
        metadata: { deletionTimestamp: "2025-12-31T23:59:00Z", deletionGracePeriodSeconds: 30 },
        spec: { containers: [container("a", { cpu: "1" })] },
      },
      usage: { "count/pods": "1" },
    },
  ])("$name", ({ pod, usage }) => {
    expect(writeAmounts(pods.usage(pod, now))).toEqual(usage);
  });

  test("cpu and memory that are counted have to be said, by each container", () => {
    const spec = {
      containers: [container("a", { cpu: "1" }), { name: "b" }],
      initContainers: [{ name: "i" }],
    };
    expect(pods.constraint({ spec }, ["pods", "requests.cpu", "limits.memory"])).toBe(
      "must specify limits.memory for: a,b,i; requests.cpu for: b,i",
    );
    expect(pods.constraint({ spec }, ["requests.ephemeral-storage"])).toBeUndefined();
    expect(
      pods.constraint({ spec: { ...spec, resources: { limits: { cpu: "1" } } } }, ["cpu"]),
    ).toBeUndefined();
  });
});

describe("scopes", () => {
  const scoped = (...scopes: string[]): CountingQuota => ({ spec: { scopes } });
  const classes = (operator: string, ...values: string[]): CountingQuota => ({
    spec: { scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator, values }] } },
  });
  const plain = { spec: { containers: [{ name: "a" }] } };
  const ending = { spec: { ...plain.spec, activeDeadlineSeconds: 5 } };
  const asking = { spec: { containers: [container("a", { cpu: "1" })] } };
  const high = { spec: { ...plain.spec, priorityClassName: "high" } };
  const crossing = {
    spec: {
      ...plain.spec,
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: { namespaceSelector: {} } }],
        },
      },
    },
  };

  test.each<[string, CountingQuota, object, boolean]>([
    ["none applies to all", {}, plain, true],
    ["Terminating", scoped("Terminating"), ending, true],
    ["Terminating, not", scoped("Terminating"), plain, false],
    ["NotTerminating", scoped("NotTerminating"), ending, false],
    ["BestEffort", scoped("BestEffort"), plain, true],
    ["BestEffort, not", scoped("BestEffort"), asking, false],
    ["all of several", scoped("NotBestEffort", "NotTerminating"), asking, true],
    ["one of several, not", scoped("NotBestEffort", "Terminating"), asking, false],
    ["PriorityClass In", classes("In", "high", "low"), high, true],
    ["PriorityClass In, of none", classes("In", "high"), plain, false],
    ["PriorityClass NotIn, of none", classes("NotIn", "high"), plain, true],
    ["PriorityClass Exists", classes("Exists"), high, true],
    ["PriorityClass DoesNotExist", classes("DoesNotExist"), high, false],
    ["CrossNamespacePodAffinity", scoped("CrossNamespacePodAffinity"), crossing, true],
    ["CrossNamespacePodAffinity, not", scoped("CrossNamespacePodAffinity"), plain, false],
  ])("%s", (_name, quota, pod, expected) => {
    expect(isCounted(pods, quota, pod)).toBe(expected);
  });

  test("of pods never apply to other kinds", () => {
    expect(isCounted(evaluator("configmaps"), scoped("NotBestEffort"), {})).toBe(false);
  });
});

test("a claim counts for all and for its class, in whole bytes, and for what it is growing to", () => {
  const claim = {
    spec: { storageClassName: "gold", resources: { requests: { storage: "1500m" } } },
    status: { allocatedResources: { storage: "3Gi" } },
  };
  expect(writeAmounts(evaluator("persistentvolumeclaims").usage(claim, now))).toEqual({
    "count/persistentvolumeclaims": "1",
    persistentvolumeclaims: "1",
    "requests.storage": "3Gi",
    "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
    "gold.storageclass.storage.k8s.io/requests.storage": "3Gi",
  });
  const small = { spec: claim.spec };
  expect(evaluator("persistentvolumeclaims").usage(small, now).get("requests.storage")?.mantissa).toBe(2n);
});

test("a claim of devices counts the most that it may get of each class", () => {
  const claim = {
    spec: {
      devices: {
        requests: [
          { exactly: { deviceClassName: "gpu", allocationMode: "ExactCount", count: 2 } },
          {
            firstAvailable: [
              { deviceClassName: "gpu", allocationMode: "ExactCount", count: 1 },
              { deviceClassName: "gpu", allocationMode: "ExactCount", count: 4 },
              { deviceClassName: "nic", allocationMode: "All" },
            ],
          },
        ],
      },
    },
  };
  expect(writeAmounts(evaluator("resourceclaims", "resource.k8s.io").usage(claim, now))).toEqual({
    "count/resourceclaims.resource.k8s.io": "1",
    "gpu.deviceclass.resource.k8s.io/devices": "6",
    "nic.deviceclass.resource.k8s.io/devices": "32",
  });
});

test("names say which resource they count", () => {
  expect(countedResource("count/jobs.batch")).toEqual({ group: "batch", plural: "jobs" });
  expect(countedResource("count/things.example.com")).toEqual({ group: "example.com", plural: "things" });
  expect(countedResource("secrets")).toEqual({ group: "", plural: "secrets" });
  expect(countedResource("requests.cpu")).toBeUndefined();
  expect(evaluatorOf({ group: "", plural: "events" })).toBeUndefined();
});

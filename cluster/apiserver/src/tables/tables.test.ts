import { StatusError, uid, type ObjectMeta } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import type { ApiObject } from "../registry/types.ts";
import { builtinTable } from "../kinds/testing/builtin-table.ts";
import { customTable, parseIncludeObject, renderTable, tableEvents } from "./index.ts";

/** An object that leaves out what all have alike. */
interface Shown {
  readonly kind: string;
  readonly apiVersion?: string;
  readonly metadata?: ObjectMeta;
  readonly [field: string]: unknown;
}

const now = Date.parse("2026-11-16T12:00:00Z");

function cellsOf(group: string, object: Shown) {
  const metadata = { name: "a", creationTimestamp: "2026-11-16T11:55:00Z", ...object.metadata };
  return builtinTable(group, object.kind).cells({ apiVersion: "v1", ...object, metadata }, now);
}

const containers = [
  { name: "a", image: "a:1" },
  { name: "b", image: "b:1" },
];

describe("pods", () => {
  const running = (name: string) => ({ name, ready: true, restartCount: 0, state: { running: {} } });
  const terminated = (name: string, state: object) => ({
    name,
    ready: false,
    restartCount: 0,
    state: { terminated: state },
  });

  test.each<[string, object, object, readonly unknown[]]>([
    ["that are new", {}, { phase: "Pending" }, ["0/2", "Pending", "0"]],
    [
      "that run",
      {},
      { phase: "Running", containerStatuses: ["a", "b"].map(running) },
      ["2/2", "Running", "0"],
    ],
    ["with a reason of their own", {}, { phase: "Failed", reason: "Evicted" }, ["0/2", "Evicted", "0"]],
    [
      "that are restarted",
      {},
      {
        phase: "Running",
        containerStatuses: [
          running("a"),
          {
            name: "b",
            ready: false,
            restartCount: 3,
            state: { waiting: { reason: "CrashLoopBackOff" } },
            lastState: { terminated: { finishedAt: "2026-11-16T11:59:30Z" } },
          },
        ],
      },
      ["1/2", "CrashLoopBackOff", "3 (30s ago)"],
    ],
    [
      "that have finished in part",
      {},
      {
        phase: "Running",
        conditions: [{ type: "Ready", status: "True" }],
        containerStatuses: [terminated("a", { exitCode: 0, reason: "Completed" }), running("b")],
      },
      ["1/2", "Running", "0"],
    ],
    [
      "that have finished in part, and are not ready",
      {},
      {
        phase: "Running",
        containerStatuses: [terminated("a", { exitCode: 0, reason: "Completed" }), running("b")],
      },
      ["1/2", "NotReady", "0"],
    ],
    [
      "killed by a signal",
      {},
      { phase: "Failed", containerStatuses: [terminated("a", { exitCode: 137, signal: 9 })] },
      ["0/2", "Signal:9", "0"],
    ],
    [
      "in their second init container",
      { initContainers: [{ name: "i" }, { name: "j" }] },
      {
        phase: "Pending",
        initContainerStatuses: [
          terminated("i", { exitCode: 0, reason: "Completed" }),
          { name: "j", ready: false, restartCount: 0, state: { running: {} } },
        ],
      },
      ["0/2", "Init:1/2", "0"],
    ],
    [
      "whose init container fails",
      { initContainers: [{ name: "i" }] },
      { phase: "Pending", initContainerStatuses: [terminated("i", { exitCode: 2 })] },
      ["0/2", "Init:ExitCode:2", "0"],
    ],
    [
      "with a sidecar",
      { initContainers: [{ name: "i", restartPolicy: "Always" }] },
      {
        phase: "Running",
        initContainerStatuses: [{ ...running("i"), started: true, restartCount: 1 }],
        containerStatuses: ["a", "b"].map(running),
      },
      ["3/3", "Running", "1"],
    ],
    [
      "held back by scheduling gates",
      {},
      {
        phase: "Pending",
        conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
      },
      ["0/2", "SchedulingGated", "0"],
    ],
  ])("%s", (_, spec, status, cells) => {
    const pod = { kind: "Pod", spec: { containers, ...spec }, status };
    expect(cellsOf("", pod)).toEqual(["a", ...cells, "5m", "<none>", "<none>", "<none>", "<none>"]);
  });

  test("on their way out", () => {
    const metadata = { deletionTimestamp: "2026-11-16T12:00:10Z" };
    expect(
      cellsOf("", { kind: "Pod", metadata, spec: { containers }, status: { phase: "Running" } })[2],
    ).toBe("Terminating");
    expect(cellsOf("", { kind: "Pod", metadata, spec: { containers }, status: { phase: "Failed" } })[2]).toBe(
      "Failed",
    );
  });

  test("with address, node and gates", () => {
    const spec = {
      containers,
      nodeName: "n",
      readinessGates: [{ conditionType: "x" }, { conditionType: "y" }],
    };
    const conditions = [{ type: "x", status: "True" }];
    expect(
      cellsOf("", { kind: "Pod", spec, status: { podIPs: [{ ip: "10.0.0.1" }], conditions } }).slice(5),
    ).toEqual(["10.0.0.1", "n", "<none>", "1/2"]);
  });
});

test.each<[string, string, Shown, readonly unknown[]]>([
  ["a namespace", "", { kind: "Namespace", status: { phase: "Active" } }, ["a", "Active", "5m"]],
  [
    "a node",
    "",
    {
      kind: "Node",
      metadata: { name: "a", labels: { "node-role.kubernetes.io/worker": "", "kubernetes.io/role": "db" } },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: "Ready", status: "False" }],
        addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
        nodeInfo: { kubeletVersion: "v1", kernelVersion: "6.1", architecture: "amd64" },
      },
    },
    [
      "a",
      "NotReady,SchedulingDisabled",
      "db,worker",
      "5m",
      "v1",
      "10.0.0.1",
      "<none>",
      "<unknown>",
      "6.1 (amd64)",
      "<unknown>",
    ],
  ],
  [
    "a service with a node port",
    "",
    {
      kind: "Service",
      spec: {
        type: "NodePort",
        clusterIPs: ["10.96.0.1"],
        ports: [{ port: 80, nodePort: 30_080, protocol: "TCP" }],
        selector: { b: "2", a: "1" },
      },
    },
    ["a", "NodePort", "10.96.0.1", "<none>", "80:30080/TCP", "5m", "a=1,b=2"],
  ],
  [
    "a load balancer that waits",
    "",
    { kind: "Service", spec: { type: "LoadBalancer" } },
    ["a", "LoadBalancer", "<none>", "<pending>", "<none>", "5m", "<none>"],
  ],
  [
    "endpoints, more than fit",
    "",
    {
      kind: "Endpoints",
      subsets: [{ addresses: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }], ports: [{ port: 80 }, { port: 81 }] }],
    },
    ["a", "10.0.0.1:80,[fd00::1]:80,10.0.0.1:81 + 1 more...", "5m"],
  ],
  [
    "an endpoint slice",
    "discovery.k8s.io",
    {
      kind: "EndpointSlice",
      addressType: "IPv4",
      ports: [{ port: 6379 }, { name: "any" }],
      endpoints: [{ addresses: ["10.0.0.1"] }],
    },
    ["a", "IPv4", "6379,any", "10.0.0.1", "5m"],
  ],
  [
    "a volume that is bound",
    "",
    {
      kind: "PersistentVolume",
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteMany", "ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Delete",
        claimRef: { namespace: "ns", name: "data" },
        storageClassName: "local",
        volumeMode: "Filesystem",
      },
      status: { phase: "Bound" },
    },
    ["a", "1Gi", "RWO,RWX", "Delete", "Bound", "ns/data", "local", "<unset>", "", "5m", "Filesystem"],
  ],
  [
    "a claim that waits",
    "",
    { kind: "PersistentVolumeClaim", spec: { storageClassName: "local" }, status: { phase: "Pending" } },
    ["a", "Pending", "", "", "", "local", "<unset>", "5m", "<unset>"],
  ],
  [
    "the default storage class",
    "storage.k8s.io",
    {
      kind: "StorageClass",
      metadata: { name: "a", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      provisioner: "kedge.dev/local",
    },
    ["a (default)", "kedge.dev/local", "Delete", "Immediate", false, "5m"],
  ],
  [
    "a controller revision",
    "apps",
    {
      kind: "ControllerRevision",
      metadata: {
        name: "a",
        ownerReferences: [
          { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: uid("u"), controller: true },
        ],
      },
      revision: 2,
    },
    ["a", "statefulset.apps/web", 2, "5m"],
  ],
  [
    "an autoscaler",
    "autoscaling",
    {
      kind: "HorizontalPodAutoscaler",
      apiVersion: "autoscaling/v2",
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "web" },
        minReplicas: 1,
        maxReplicas: 3,
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { averageUtilization: 80 } } },
          { type: "Pods", pods: { target: { averageValue: "10" } } },
          { type: "Pods", pods: { target: { averageValue: "11" } } },
        ],
      },
      status: { currentReplicas: 2, currentMetrics: [{ resource: { current: { averageUtilization: 7 } } }] },
    },
    ["a", "Deployment/web", "cpu: 7%/80%, <unknown>/10 + 1 more...", "1", 3, 2, "5m"],
  ],
  [
    "an autoscaler of the first version",
    "autoscaling",
    {
      kind: "HorizontalPodAutoscaler",
      apiVersion: "autoscaling/v1",
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "web" },
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 50,
      },
    },
    ["a", "Deployment/web", "cpu: <unknown>/50%", "<unset>", 3, 0, "5m"],
  ],
  [
    "an event of a series",
    "",
    {
      kind: "Event",
      involvedObject: { kind: "Pod", name: "web" },
      eventTime: "2026-11-16T11:00:00.000000Z",
      series: { count: 7, lastObservedTime: "2026-11-16T11:59:00.000000Z" },
      reportingComponent: "kubelet",
      type: "Normal",
      reason: "Pulled",
      message: "done\n",
    },
    ["60s", "Normal", "Pulled", "pod/web", "", "kubelet", "done", "60m", 7, "a"],
  ],
  [
    "a kind without a printer",
    "apiextensions.k8s.io",
    { kind: "CustomResourceDefinition" },
    ["a", "2026-11-16T11:55:00Z"],
  ],
])("%s", (_, group, object, cells) => {
  const shown = cellsOf(group, object);
  expect(shown).toEqual(cells);
  expect(shown).toHaveLength(builtinTable(group, object.kind).columns.length);
});

describe("custom columns", () => {
  const table = customTable([
    { name: "Phase", type: "string", jsonPath: ".status.phase", description: "How it is" },
    { name: "Size", type: "integer", jsonPath: ".spec.size", priority: 1 },
    { name: "Since", type: "date", jsonPath: ".status.since" },
    { name: "Broken", type: "string", jsonPath: ".a[" },
  ]);
  const cells = (object: object) =>
    table.cells({ apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, ...object }, now);

  test("come after the name", () => {
    expect(table.columns.map(({ name, priority }) => [name, priority])).toEqual([
      ["Name", 0],
      ["Phase", 0],
      ["Size", 1],
      ["Since", 0],
      ["Broken", 0],
    ]);
    expect(table.columns.every(({ description }) => description !== "")).toBe(true);
  });

  test("show values by their type", () => {
    const status = { phase: { x: 1 }, since: "2026-11-16T11:00:00Z" };
    expect(cells({ spec: { size: 2 }, status })).toEqual(["a", '{"x":1}', 2, "60m", null]);
    expect(cells({ spec: { size: "2" }, status: { phase: 3, since: "never" } })).toEqual([
      "a",
      "3",
      null,
      "<invalid>",
      null,
    ]);
    expect(cells({})).toEqual(["a", null, null, null, null]);
  });

  test("are the age when there are none", () => {
    const plain = customTable([]);
    const metadata = { name: "a", creationTimestamp: "2026-11-16T11:55:00Z" };
    expect(plain.cells({ apiVersion: "v1", kind: "Thing", metadata }, now)).toEqual(["a", "5m"]);
  });
});

describe("tables", () => {
  const resource = { table: builtinTable("", "ConfigMap") };
  const object: ApiObject = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a" },
    data: { x: "1" },
  };

  test.each([
    ["None", null],
    ["Object", object],
    ["Metadata", { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { name: "a" } }],
  ] as const)("have as much of the object as asked for: %s", (includeObject, shown) => {
    const table = renderTable(resource, [object], {}, { includeObject, now, version: "v1" });
    expect(table).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
    expect(table.rows).toEqual([{ cells: ["a", 1, "<unknown>"], object: shown }]);
  });

  test("of a watch have columns only once", () => {
    const event = tableEvents(resource, { includeObject: "None", version: "v1beta1" });
    expect(event(object, now).columnDefinitions).toHaveLength(3);
    expect(event(object, now).columnDefinitions).toBeNull();
    expect(event(object, now).apiVersion).toBe("meta.k8s.io/v1beta1");
  });

  test("are not made with a wrong includeObject", () => {
    expect(parseIncludeObject(null)).toBe("Metadata");
    expect(parseIncludeObject("")).toBe("Metadata");
    expect(() => parseIncludeObject("Some")).toThrow(StatusError);
    expect(() => parseIncludeObject("Some")).toThrow(/must be 'Metadata', 'Object', 'None', or empty/);
  });
});

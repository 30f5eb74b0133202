import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { fuzzNamespace, type FuzzKind } from "../fuzz-kind.ts";
import { port, protocol, quantity } from "./values.ts";

const inNamespace = (group: string, plural: string) =>
  `${group === "" ? "/api/v1" : `/apis/${group}`}/namespaces/${fuzzNamespace}/${plural}`;

/** The kinds with few fields. */
export const smallKinds: readonly FuzzKind[] = [
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    path: inNamespace("", "configmaps"),
    strategic: true,
    make: (choose) =>
      choose.fields({
        data: [
          80,
          () =>
            choose.map(
              [{ a: "x" }, { a: "", b: "é", c: "1" }, {}],
              [{ "a b": "x" }, { "..": "x" }, { "": "x" }, { a: 1 }],
            ),
        ],
        binaryData: [
          30,
          () =>
            choose.map(
              [{ d: "eA==" }, { d: "", e: "AAA=" }],
              [{ a: "eA==" }, { "b/c": "eA==" }, { d: "not base64!" }],
            ),
        ],
        immutable: [15, () => choose.maybe(70)],
      }),
  },
  {
    apiVersion: "v1",
    kind: "Secret",
    path: inNamespace("", "secrets"),
    strategic: true,
    make: (choose) => secret(choose),
  },
  {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    path: inNamespace("coordination.k8s.io/v1", "leases"),
    strategic: true,
    make: (choose) => ({
      spec: choose.fields({
        holderIdentity: [50, () => choose.one(["a", "b"], [""])],
        leaseDurationSeconds: [50, () => choose.one([5, 15], [0, -1])],
        leaseTransitions: [30, () => choose.one([0, 2], [-1])],
        renewTime: [
          30,
          () => choose.one(["2026-01-02T03:04:05.123456Z", "2026-01-02T03:04:05.000000Z"], ["yesterday"]),
        ],
        acquireTime: [20, () => "2026-01-02T03:04:05.100000Z"],
      }),
    }),
  },
  {
    apiVersion: "v1",
    kind: "Event",
    path: inNamespace("", "events"),
    strategic: true,
    make: (choose) => ({
      involvedObject: choose.fields({
        namespace: [100, () => choose.one([fuzzNamespace], ["other"])],
        kind: [80, () => "Pod"],
        name: [80, () => "a"],
      }),
      ...choose.fields({
        reason: [70, () => "Started"],
        message: [70, () => choose.one(["m", "two\nlines"], ["m".repeat(2000)])],
        type: [60, () => choose.one(["Normal", "Warning", "Odd"])],
        count: [30, () => choose.one([0, 1])],
        source: [30, () => ({ component: "c", host: "h" })],
        firstTimestamp: [30, () => "2026-01-02T03:04:05Z"],
        eventTime: [10, () => "2026-01-02T03:04:05.123456Z"],
        action: [30, () => "x"],
        reportingComponent: [50, () => choose.one(["a/b"], ["a b"])],
        reportingInstance: [30, () => "i"],
      }),
    }),
  },
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    path: "/apis/scheduling.k8s.io/v1/priorityclasses",
    strategic: true,
    make: (choose) =>
      choose.fields({
        value: [100, () => choose.one([0, 5, -5, 1_000_000_000], [2_000_000_000])],
        globalDefault: [30, () => false],
        preemptionPolicy: [30, () => choose.one(["Never", "PreemptLowerPriority"], ["Bad"])],
        description: [20, () => "d"],
      }),
  },
  {
    apiVersion: "v1",
    kind: "ServiceAccount",
    path: inNamespace("", "serviceaccounts"),
    strategic: true,
    make: (choose) =>
      choose.fields({
        automountServiceAccountToken: [30, () => choose.maybe()],
        imagePullSecrets: [30, () => choose.list(2, () => ({ name: choose.one(["a", "b", ""]) }))],
        secrets: [30, () => [{ name: choose.one(["s", "t"]) }]],
      }),
  },
  {
    apiVersion: "v1",
    kind: "Node",
    path: "/api/v1/nodes",
    strategic: true,
    make: (choose) => ({
      spec: {
        taints: [notReady, ...(choose.maybe(30) ? taints(choose) : [])],
        ...choose.fields({
          podCIDR: [25, () => choose.one(["10.0.0.0/24"], ["x"])],

          unschedulable: [30, () => choose.maybe()],
          providerID: [10, () => "x"],
        }),
      },
      ...choose.fields({ status: [40, () => nodeStatus(choose)] }),
    }),
    status: nodeStatus,
  },
  {
    apiVersion: "v1",
    kind: "Namespace",
    path: "/api/v1/namespaces",
    strategic: true,
    make: (choose) =>
      choose.fields({
        spec: [
          30,
          () => ({
            finalizers: choose.list(2, () => choose.one(["kubernetes", "a/b"], ["bad finalizer", "x"])),
          }),
        ],
      }),
  },
  {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    path: inNamespace("discovery.k8s.io/v1", "endpointslices"),
    strategic: true,
    make: endpointSlice,
  },
];

function secret(choose: Chooser): JsonObject {
  const kinds: Readonly<Record<string, JsonObject>> = {
    Opaque: { a: "eA==", "b.c": "" },
    "kubernetes.io/tls": { "tls.crt": "eA==", "tls.key": "eA==" },
    "kubernetes.io/basic-auth": { username: "eA==" },
    "kubernetes.io/ssh-auth": { "ssh-privatekey": "eA==" },
    "kubernetes.io/dockerconfigjson": { ".dockerconfigjson": "e30=" },
    "x/y": {},
  };
  const type = choose.one(Object.keys(kinds), ["kubernetes.io/service-account-token"]);
  return choose.fields({
    type: [type === "Opaque" ? 50 : 100, () => type],
    data: [
      type === "Opaque" ? 70 : 100,
      () =>
        choose.map(
          [kinds[type] ?? {}],
          [{ "a b": "eA==" }, { a: "no base64!" }, { ".dockerconfigjson": "eA==" }],
        ),
    ],
    stringData: [30, () => choose.map([{ a: "x" }, { z: "é" }], [{ "a b": "x" }])],
    immutable: [10, () => choose.maybe(70)],
  });
}

/** The real server gives it to every new node, for the controller that takes it away again. Ours has none. */
const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

function taints(choose: Chooser): readonly JsonObject[] {
  return choose.named(["a", "b/c"], 2, (key) =>
    choose.fields({
      key: [100, () => choose.one([key], ["a b", ""])],
      effect: [100, () => choose.one(["NoSchedule", "NoExecute"], ["Bad", ""])],
      value: [30, () => choose.one(["x"], ["a b"])],
    }),
  );
}

function nodeStatus(choose: Chooser): JsonObject {
  return choose.fields({
    capacity: [50, () => choose.fields({ cpu: [60, () => quantity(choose)], memory: [30, () => "1Gi"] })],
    addresses: [
      30,
      () =>
        choose.one([
          [{ type: "InternalIP", address: "1.2.3.4" }],
          [
            { type: "Hostname", address: "h" },
            { type: "ExternalIP", address: "5.6.7.8" },
          ],
        ]),
    ],
    conditions: [
      40,
      () => [
        {
          type: "Ready",
          status: choose.one(["True", "False", "Unknown"]),
          lastHeartbeatTime: null,
          lastTransitionTime: null,
        },
      ],
    ],
    nodeInfo: [
      10,
      () => ({
        kubeletVersion: "v1",
        osImage: "Debian",
        architecture: "amd64",
        bootID: "",
        containerRuntimeVersion: "",
        kernelVersion: "",
        kubeProxyVersion: "",
        machineID: "",
        operatingSystem: "",
        systemUUID: "",
      }),
    ],
  });
}

function endpointSlice(choose: Chooser): JsonObject {
  const addressType = choose.one(["IPv4", "IPv6", "FQDN"], ["Bad"]);
  const addresses: Readonly<Record<string, readonly string[]>> = {
    IPv4: ["10.0.0.1", "10.0.0.2"],
    IPv6: ["fd00::1", "2001:db8::2"],
    FQDN: ["a.example.com"],
  };
  return choose.fields({
    addressType: [100, () => addressType],
    endpoints: [
      100,
      () =>
        listOfEndpoints(choose, () =>
          choose.fields({
            addresses: [100, () => [choose.one(addresses[addressType] ?? ["x"], ["::1", "x", "127.0.0.1"])]],
            conditions: [
              40,
              () =>
                choose.fields({
                  ready: [70, () => choose.maybe()],
                  serving: [30, () => choose.maybe()],
                  terminating: [30, () => choose.maybe()],
                }),
            ],
            nodeName: [20, () => choose.one(["n"], ["N_"])],
            hostname: [20, () => choose.one(["h"], ["H_", ""])],
            zone: [10, () => "z"],
            targetRef: [20, () => ({ kind: "Pod", namespace: fuzzNamespace, name: "p" })],
          }),
        ),
    ],
    ports: [
      60,
      () =>
        choose.named(["http", "", "a-1"], 2, (name) =>
          choose.fields({
            name: [80, () => choose.one([name], ["Bad_"])],
            port: [80, () => port(choose)],
            protocol: [30, () => protocol(choose)],
            appProtocol: [10, () => choose.one(["http"], ["a b"])],
          }),
        ),
    ],
  });
}

/** At least one: of an empty list the real server remembers that it was there, though it does not show it. */
function listOfEndpoints(choose: Chooser, make: () => JsonObject): readonly JsonObject[] {
  return choose.list(2, make, 1);
}

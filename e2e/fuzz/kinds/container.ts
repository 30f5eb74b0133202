import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";
import { lifecycle, probe } from "./probe.ts";
import { port, protocol, quantity } from "./values.ts";

/** What a container is in. */
export interface ContainerPlace {
  readonly name: string;
  readonly init: boolean;
  /** The names of the pod's volumes. */
  readonly volumes: readonly string[];
}

/** A container. */
export function container(choose: Chooser, { name, init, volumes }: ContainerPlace): JsonObject {
  const probes = init ? 3 : 15;
  return choose.fields({
    name: [100, () => name],
    image: [
      100,
      () => choose.one(["c", "c:1", "c:latest", "reg:5000/x", `c@sha256:${"1".repeat(64)}`], ["", " c"]),
    ],
    command: [15, () => ["sh", "-c", "$(A)"]],
    args: [10, () => choose.one([["a"], []])],
    workingDir: [5, () => "/x"],
    imagePullPolicy: [20, () => choose.one(["Always", "Never", "IfNotPresent"], ["Maybe", ""])],
    ports: [25, () => choose.list(2, () => containerPort(choose))],
    env: [30, () => choose.list(3, () => env(choose))],
    envFrom: [15, () => choose.list(2, () => envFrom(choose))],
    volumeMounts: [volumes.length > 0 ? 60 : 3, () => mounts(choose, volumes)],
    volumeDevices: [2, () => [{ name: choose.one(["v", "x"]), devicePath: choose.one(["/dev/a"], [""]) }]],
    resources: [30, () => resources(choose)],
    livenessProbe: [probes, () => probe(choose, { liveness: true })],
    readinessProbe: [probes, () => probe(choose)],
    startupProbe: [probes, () => probe(choose, { liveness: true })],
    lifecycle: [init ? 3 : 12, () => lifecycle(choose)],
    securityContext: [20, () => securityContext(choose)],
    restartPolicy: [init ? 25 : 3, () => choose.one(["Always"], ["OnFailure", "Bad"])],
    stdin: [10, () => choose.maybe()],
    tty: [5, () => choose.maybe()],
    terminationMessagePath: [5, () => choose.one(["/dev/x", ""])],
    terminationMessagePolicy: [10, () => choose.one(["File", "FallbackToLogsOnError"], ["Bad"])],
    resizePolicy: [
      5,
      () => [
        {
          resourceName: choose.one(["cpu", "memory"], ["x"]),
          restartPolicy: choose.one(["NotRequired", "RestartContainer"], ["Bad"]),
        },
      ],
    ],
  });
}

function containerPort(choose: Chooser): JsonObject {
  return choose.fields({
    containerPort: [100, () => port(choose)],
    name: [30, () => choose.one(["http", "web", "a-1"], ["Bad Name", "way-too-long-a-name-for-a-port", "1"])],
    protocol: [30, () => protocol(choose)],
    hostPort: [10, () => port(choose)],
    hostIP: [5, () => choose.one(["1.2.3.4"], ["x"])],
  });
}

function env(choose: Chooser): JsonObject {
  return {
    name: choose.one(["A", "B", "a.b", "_c", "1x", "a b"], ["", "a=b"]),
    ...(choose.maybe(60)
      ? choose.fields({ value: [80, () => choose.one(["", "x", "$(A)", "é"])] })
      : choose.fields({ valueFrom: [100, () => source(choose)], value: [5, () => choose.one([""], ["x"])] })),
  };
}

function source(choose: Chooser): JsonObject {
  const ways: readonly (() => JsonObject)[] = [
    () => ({
      fieldRef: choose.fields({
        fieldPath: [100, () => fieldPath(choose)],
        apiVersion: [10, () => choose.one(["v1"], ["v2"])],
      }),
    }),
    () => ({ secretKeyRef: keyRef(choose) }),
    () => ({ configMapKeyRef: keyRef(choose) }),
    () => ({
      resourceFieldRef: choose.fields({
        resource: [
          100,
          () => choose.one(["limits.cpu", "requests.memory", "limits.ephemeral-storage"], ["limits.foo", ""]),
        ],
        divisor: [40, () => choose.one(["1", "1m", "1Mi", "0", 1], ["3"])],
        containerName: [10, () => "a"],
      }),
    }),
  ];
  if (choose.isFaulty) return choose.one<JsonObject>([{}, { ...ways[0]?.(), ...ways[1]?.() }]);
  return choose.one(ways)();
}

function fieldPath(choose: Chooser): string {
  return choose.one(
    [
      "metadata.name",
      "metadata.uid",
      "status.podIP",
      "metadata.labels['a']",
      "metadata.annotations['A/b']",
      "spec.nodeName",
      "status.hostIPs",
    ],
    ["metadata.labels['a b']", "spec.foo", "metadata.labels", "spec.restartPolicy", "status.phase", ""],
  );
}

function keyRef(choose: Chooser): JsonObject {
  return choose.fields({
    name: [100, () => choose.one(["s", "m.n"], ["", "S_"])],
    key: [100, () => choose.one(["k", "a.b"], ["a b", ""])],
    optional: [20, () => choose.maybe()],
  });
}

function envFrom(choose: Chooser): JsonObject {
  const reference = () =>
    choose.fields({ name: [100, () => choose.one(["m", "s"], ["M"])], optional: [20, () => choose.maybe()] });
  return {
    ...choose.fields({ prefix: [25, () => choose.one(["A_", "a.", "1"], ["a="])] }),
    ...(choose.isFaulty
      ? choose.one<JsonObject>([{}, { configMapRef: { name: "m" }, secretRef: { name: "s" } }])
      : { [choose.one(["configMapRef", "secretRef"])]: reference() }),
  };
}

function mounts(choose: Chooser, volumes: readonly string[]): readonly JsonObject[] {
  return choose.named(["/a", "/b", "/c/d"], 2, (mountPath) => ({
    mountPath: choose.one([mountPath], ["", "rel", "/a:b"]),
    name: volumes.length === 0 ? "none" : choose.one(volumes, ["none", ""]),
    ...choose.fields({
      subPath: [15, () => choose.one(["x", "a/b"], ["/abs", "../up", "a/.."])],
      subPathExpr: [4, () => choose.one(["$(A)"], ["/x"])],
      readOnly: [20, () => choose.maybe()],
      mountPropagation: [4, () => choose.one(["None", "HostToContainer"], ["Bad"])],
    }),
  }));
}

/** Requests and limits. What is faulty has one resource only: of two faults the server names either first. */
function resources(choose: Chooser): JsonObject {
  if (choose.isFaulty) {
    const name = choose.one([
      "cpu",
      "memory",
      "example.com/gpu",
      "storage",
      "bad name",

      "foo",
      "kubernetes.io/x",
    ]);
    return choose.fields({
      limits: [70, () => ({ [name]: quantity(choose) })],
      requests: [70, () => ({ [name]: quantity(choose) })],
    });
  }
  const amounts = (cpu: readonly unknown[], memory: readonly unknown[]) =>
    choose.fields({
      cpu: [70, () => choose.one(cpu)],
      memory: [60, () => choose.one(memory)],
      "ephemeral-storage": [10, () => choose.one(memory)],
    });
  return choose.fields({
    limits: [
      60,
      () => ({
        ...amounts(["2", 2, "2500m", "2e0"], ["1Gi", "2G", "1.5Gi"]),
        ...choose.fields({ "example.com/gpu": [5, () => "1"] }),
      }),
    ],
    requests: [60, () => amounts(["1", "100m", "0.5", "0"], ["1Mi", "10M", "1e3", "0.5Gi"])],
  });
}

function securityContext(choose: Chooser): JsonObject {
  return choose.fields({
    runAsUser: [25, () => choose.one([0, 1000], [-1, 2 ** 31])],
    runAsGroup: [10, () => choose.one([0, 1000], [-1])],
    runAsNonRoot: [25, () => choose.maybe()],
    allowPrivilegeEscalation: [25, () => choose.one([true], [false])],
    privileged: [20, () => choose.maybe()],
    readOnlyRootFilesystem: [25, () => choose.maybe()],
    capabilities: [10, () => ({ add: [choose.one(["NET_ADMIN"], ["CAP_SYS_ADMIN"])], drop: ["ALL"] })],
    seccompProfile: [
      10,
      () =>
        choose.one<JsonObject>(
          [{ type: "RuntimeDefault" }, { type: "Localhost", localhostProfile: "a/b" }],
          [{ type: "Bad" }, { type: "Localhost" }, {}],
        ),
    ],
  });
}

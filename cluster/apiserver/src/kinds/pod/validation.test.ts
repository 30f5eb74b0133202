import { fieldErrorText } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../registry/types.ts";
import { testResources } from "../testing/write-context.ts";
import { allErrors } from "../../write/errors-of.ts";

const { strategy } = testResources()("Pod");

function pod(spec: Record<string, unknown>): ApiObject {
  const containers = [{ name: "c", image: "c:1" }];
  const object: ApiObject = structuredClone({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", namespace: "ns" },
    spec: { containers, ...spec },
  });
  strategy.default?.(object);
  return object;
}

function container(fields: Record<string, unknown>): ApiObject {
  return pod({ containers: [{ name: "c", image: "c:1", ...fields }] });
}

function errorsOf(object: ApiObject): string[] {
  return allErrors(strategy.validate?.(object)).map(fieldErrorText);
}

describe("what is wrong with a pod", () => {
  test("nothing, usually", () => {
    expect(errorsOf(pod({}))).toEqual([]);
  });

  test.each([
    [
      "an ephemeral volume whose claim could not have its name",
      pod({
        volumes: [
          {
            name: "Bad_",
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
              },
            },
          },
        ],
      }),
      [
        `spec.volumes[0].name: Invalid value: "Bad_": PVC name "a-Bad_": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
        `spec.volumes[0].name: Invalid value: "Bad_": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      ],
    ],
    [
      "a volume of an image that it does not name",
      pod({ volumes: [{ name: "v", image: {} }] }),
      ["spec.volumes[0].image.reference: Required value"],
    ],
    ["no containers", pod({ containers: [] }), ["spec.containers: Required value"]],
    [
      "a container without name and image",
      pod({ containers: [{}] }),
      ["spec.containers[0].name: Required value", "spec.containers[0].image: Required value"],
    ],
    [
      "two containers of one name",
      pod({
        containers: [
          { name: "a", image: "a:1" },
          { name: "a", image: "a:1" },
        ],
      }),
      ['spec.containers[1].name: Duplicate value: "a"'],
    ],
    [
      "a port out of range, and a protocol that is none",
      container({ ports: [{ containerPort: 70_000, protocol: "ICMP" }] }),
      [
        "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
        'spec.containers[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
      ],
    ],
    [
      "two topology spread constraints that lack the same key",
      pod({
        topologySpreadConstraints: [
          { maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" },
          { maxSkew: 2, topologyKey: "", whenUnsatisfiable: "DoNotSchedule" },
        ],
      }),
      [
        "spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty",
        'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{, DoNotSchedule}"',
        "spec.topologySpreadConstraints[1].topologyKey: Required value: can not be empty",
      ],
    ],
    [
      "users of its own beside namespaces of the machine",
      pod({ hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true }),
      [
        "spec.hostNetwork: Forbidden: when `hostUsers` is false",
        "spec.HostPID: Forbidden: when `hostUsers` is false",
        "spec.HostIPC: Forbidden: when `hostUsers` is false",
      ],
    ],
    [
      "a mount of a volume that is not there",
      container({ volumeMounts: [{ name: "v", mountPath: "/v" }] }),
      ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
    ],
    [
      "two handlers in a probe",
      container({ livenessProbe: { exec: { command: ["a"] }, tcpSocket: { port: 1 } } }),
      ["spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"],
    ],
    [
      "no handler in a probe",
      container({ readinessProbe: {} }),
      ["spec.containers[0].readinessProbe: Required value: must specify a handler type"],
    ],
    [
      "a liveness probe that must succeed twice",
      container({ livenessProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } }),
      ["spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1"],
    ],
    [
      "more requested than allowed",
      container({ resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } }),
      [
        'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      ],
    ],
    [
      "a variable with a value from two places",
      container({
        env: [
          {
            name: "A",
            valueFrom: { secretKeyRef: { name: "s", key: "k" }, configMapKeyRef: { name: "s", key: "k" } },
          },
        ],
      }),
      [
        'spec.containers[0].env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time',
      ],
    ],
    [
      "a probe of an init container",
      pod({ initContainers: [{ name: "i", image: "i:1", livenessProbe: { tcpSocket: { port: 1 } } }] }),
      [
        "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
      ],
    ],
    [
      "a volume of two kinds",
      pod({ volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "/x" } }] }),
      ["spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"],
    ],
    [
      "a policy that is none",
      pod({ restartPolicy: "Sometimes" }),
      [
        'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
      ],
    ],
  ])("%s", (_name, object, errors) => {
    expect(errorsOf(object)).toEqual(errors);
  });
});

describe("what is wrong with changing a pod", () => {
  const before = pod({ tolerations: [{ key: "a", operator: "Exists" }], activeDeadlineSeconds: 10 });

  test.each<[string, (spec: Record<string, unknown>) => void, string[]]>([
    ["another image is fine", (spec) => (spec["containers"] = [{ ...firstOf(spec), image: "c:2" }]), []],
    ["a shorter deadline is fine", (spec) => (spec["activeDeadlineSeconds"] = 5), []],
    [
      "a longer deadline is not",
      (spec) => (spec["activeDeadlineSeconds"] = 15),
      ["spec.activeDeadlineSeconds: Invalid value: 15: must be less than or equal to previous value"],
    ],
    [
      "a toleration cannot go",
      (spec) => delete spec["tolerations"],
      ["spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds"],
    ],
    [
      "a container cannot come",
      (spec) => (spec["containers"] = [firstOf(spec), firstOf(spec)]),
      ["spec.containers: Forbidden: pod updates may not add or remove containers"],
    ],
    [
      "nothing else can change",
      (spec) => (spec["hostname"] = "x"),
      [
        "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
      ],
    ],
  ])("%s", (_name, change, errors) => {
    const object = structuredClone(before);
    change(object["spec"] as Record<string, unknown>);
    expect((strategy.validateUpdate?.(object, before) ?? []).map(fieldErrorText)).toEqual(errors);
  });
});

function firstOf(spec: Record<string, unknown>): object {
  return (spec["containers"] as object[])[0] ?? {};
}

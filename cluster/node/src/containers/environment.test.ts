import { resourceVersion, uid } from "@kedge/machinery";
import type { Container, EnvVar } from "@kedge/machinery/kinds/core/v1";
import { describe, expect, it } from "vitest";
import { containerNamed, podOf } from "../testing/pods.ts";
import { environmentOf } from "./environment.ts";
import { expand } from "./expand.ts";
import { serviceEnvironment } from "./service-environment.ts";

const metadata = {
  namespace: "default",
  name: "x",
  uid: uid("u"),
  resourceVersion: resourceVersion("1"),
  creationTimestamp: "2026-01-01T00:00:00Z",
};

function environment(container: Partial<Container>): Record<string, string> {
  const own = containerNamed("app", container);
  return environmentOf({
    pod: podOf({ metadata: { labels: { app: "web" } }, spec: { containers: [own] } }),
    container: own,
    addresses: { podAddress: "10.244.0.2", hostAddress: "192.0.2.1" },
    objects: {
      configMap: (name) =>
        name === "conf"
          ? { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "1", b: "$(A)" } }
          : undefined,
      secret: (name) =>
        name === "pw"
          ? {
              apiVersion: "v1",
              kind: "Secret",
              metadata,
              data: { k: Buffer.from("s3cret").toString("base64") },
            }
          : undefined,
    },
    services: { WEB_SERVICE_HOST: "10.96.0.1" },
    allocatable: { cpu: "2", memory: "1Gi" },
  });
}

function ofEnv(...env: EnvVar[]): Record<string, string> {
  return environment({ env });
}

describe("values", () => {
  it.each<[string, EnvVar, string]>([
    ["a value", { name: "X", value: "1" }, "1"],
    ["a service's variable", { name: "X", value: "http://$(WEB_SERVICE_HOST)" }, "http://10.96.0.1"],
    [
      "a config map's key, not expanded",
      { name: "X", valueFrom: { configMapKeyRef: { name: "conf", key: "b" } } },
      "$(A)",
    ],
    ["a secret's key", { name: "X", valueFrom: { secretKeyRef: { name: "pw", key: "k" } } }, "s3cret"],
    [
      "the pod's address",
      { name: "X", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
      "10.244.0.2",
    ],
    ["a label", { name: "X", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } }, "web"],
    [
      "a limit that the container does not have is the node's",
      { name: "X", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } },
      "1024",
    ],
  ])("%s", (_title, variable, value) => {
    expect(ofEnv(variable)["X"]).toBe(value);
  });

  it("what is optional and not there is left out", () => {
    const optional = true;
    const made = ofEnv(
      { name: "X", valueFrom: { configMapKeyRef: { name: "none", key: "a", optional } } },
      { name: "Y", valueFrom: { secretKeyRef: { name: "pw", key: "none", optional } } },
    );
    expect(Object.keys(made)).toEqual(["WEB_SERVICE_HOST"]);
  });

  it("env beats envFrom, later beats earlier, and refers to what was before", () => {
    const made = environment({
      envFrom: [{ prefix: "C_", configMapRef: { name: "conf" } }],
      env: [
        { name: "C_a", value: "own" },
        { name: "Z", value: "$(C_a)/$(LATER)" },
        { name: "LATER", value: "x" },
      ],
    });
    expect(made).toMatchObject({ C_a: "own", C_b: "$(A)", Z: "own/$(LATER)" });
  });

  it.each<[string, Partial<Container>, string]>([
    ["a config map", { envFrom: [{ configMapRef: { name: "none" } }] }, 'configmap "none" not found'],
    [
      "a secret",
      { env: [{ name: "X", valueFrom: { secretKeyRef: { name: "none", key: "k" } } }] },
      'secret "none" not found',
    ],
    [
      "a key",
      { env: [{ name: "X", valueFrom: { secretKeyRef: { name: "pw", key: "none" } } }] },
      "couldn't find key none in Secret default/pw",
    ],
  ])("says that %s is missing", (_title, container, message) => {
    expect(() => environment(container)).toThrow(message);
  });
});

it.each([
  ["$(A)", "1"],
  ["$$(A)", "$(A)"],
  ["$$$(A)", "$1"],
  ["$(B)", "$(B)"],
  ["$A ${A} $(A", "$A ${A} $(A"],
  ["a$$b", "a$b"],
])("expand %s → %s", (text, expected) => {
  expect(expand(text, (name) => ({ A: "1" })[name])).toBe(expected);
});

describe("services", () => {
  const service = (namespace: string, name: string, clusterIP: string) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadata, namespace, name },
    spec: { clusterIP, ports: [{ name: "http", port: 80, protocol: "TCP" }] },
  });
  const services = [
    service("default", "kubernetes", "10.96.0.1"),
    service("shop", "my-web", "10.96.0.2"),
    service("shop", "headless", "None"),
    service("other", "db", "10.96.0.3"),
  ];

  it("those of the namespace and the API server's", () => {
    const made = serviceEnvironment(services, { namespace: "shop", links: true });
    expect(made).toMatchObject({
      KUBERNETES_SERVICE_HOST: "10.96.0.1",
      MY_WEB_SERVICE_HOST: "10.96.0.2",
      MY_WEB_SERVICE_PORT: "80",
      MY_WEB_SERVICE_PORT_HTTP: "80",
      MY_WEB_PORT: "tcp://10.96.0.2:80",
      MY_WEB_PORT_80_TCP_ADDR: "10.96.0.2",
    });
    expect(Object.keys(made).filter((name) => /^(DB|HEADLESS)_/u.test(name))).toEqual([]);
  });

  it("without links only the API server's", () => {
    const made = serviceEnvironment(services, { namespace: "shop", links: false });
    expect(Object.keys(made).every((name) => name.startsWith("KUBERNETES_"))).toBe(true);
  });
});

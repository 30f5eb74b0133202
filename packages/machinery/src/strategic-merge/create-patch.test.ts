import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { builtin } from "../apply/testing/apply-to.ts";
import { deepFreeze } from "../json/deep-freeze.ts";
import { createStrategicPatch, createThreeWayPatch } from "./create-patch.ts";
import { strategicMergePatch } from "./strategic-merge-patch.ts";

const pod = builtin("io.k8s.api.core.v1.Pod");
const deployment = builtin("io.k8s.api.apps.v1.Deployment");

describe("from one object to another", () => {
  test.each([
    ["nothing for nothing", { spec: { nodeName: "a" } }, { spec: { nodeName: "a" } }, {}],
    [
      "what is new or different",
      { spec: { nodeName: "a" } },
      { spec: { nodeName: "b", hostname: "h" } },
      { spec: { nodeName: "b", hostname: "h" } },
    ],
    [
      "null for what is gone",
      { spec: { nodeName: "a", hostname: "h" } },
      { spec: { hostname: "h" } },
      { spec: { nodeName: null } },
    ],
    [
      "items by key, those to delete, and the order",
      { spec: { containers: [{ name: "a" }, { name: "b", image: "1" }] } },
      { spec: { containers: [{ name: "c" }, { name: "b", image: "2" }] } },
      {
        spec: {
          "$setElementOrder/containers": [{ name: "c" }, { name: "b" }],
          containers: [{ name: "c" }, { name: "b", image: "2" }, { name: "a", $patch: "delete" }],
        },
      },
    ],
    [
      "scalars to add and to delete",
      { metadata: { finalizers: ["a", "b"] } },
      { metadata: { finalizers: ["b", "c"] } },
      {
        metadata: {
          "$setElementOrder/finalizers": ["b", "c"],
          "$deleteFromPrimitiveList/finalizers": ["a"],
          finalizers: ["c"],
        },
      },
    ],
    [
      "the keys that are left where that is the strategy",
      { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
      { spec: { volumes: [{ name: "v", hostPath: { path: "/" } }] } },
      {
        spec: {
          "$setElementOrder/volumes": [{ name: "v" }],
          volumes: [
            { name: "v", emptyDir: null, hostPath: { path: "/" }, $retainKeys: ["hostPath", "name"] },
          ],
        },
      },
    ],
  ])("a patch holds %s", (_, original, modified, patch) => {
    expect(createStrategicPatch(original, modified, pod)).toEqual(patch);
  });

  const letters = fc.constantFrom("a", "b", "c", "d");
  const container = fc.record(
    {
      name: letters,
      image: letters,
      args: fc.array(letters),
      env: fc.uniqueArray(fc.record({ name: letters, value: letters }), { selector: ({ name }) => name }),
    },
    { requiredKeys: ["name"] },
  );
  const object = fc.record({
    metadata: fc.record(
      { labels: fc.dictionary(letters, letters), finalizers: fc.uniqueArray(letters) },
      { requiredKeys: [] },
    ),
    spec: fc.record(
      {
        containers: fc.uniqueArray(container, { selector: ({ name }) => name }),
        nodeSelector: fc.dictionary(letters, letters),
        hostNetwork: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  });

  test("a patch makes the one of the other", () => {
    fc.assert(
      fc.property(object, object, (original, modified) => {
        const patch = createStrategicPatch(deepFreeze(original), deepFreeze(modified), pod);
        expect(strategicMergePatch(original, deepFreeze(patch), pod)).toEqual(modified);
      }),
    );
  });

  test("a patch for an object that is applied again changes nothing", () => {
    fc.assert(
      fc.property(object, object, (before, modified) => {
        const first = createThreeWayPatch({ original: {}, modified, current: before }, pod);
        const current = deepFreeze(strategicMergePatch(before, first, pod));
        const again = createThreeWayPatch({ original: modified, modified, current }, pod);
        expect(strategicMergePatch(current, again, pod)).toEqual(current);
      }),
    );
  });
});

test("items of the same merge key are paired from the last one on, as the server does", () => {
  const service = builtin("io.k8s.api.core.v1.Service");
  const ports = (...protocols: readonly string[]) => ({
    spec: { ports: protocols.map((protocol) => ({ port: 80, protocol })) },
  });
  expect(createStrategicPatch(ports("TCP", "UDP"), ports("TCP"), service)).toEqual({
    spec: {
      "$setElementOrder/ports": [{ port: 80 }],
      ports: [
        { port: 80, protocol: "TCP" },
        { port: 80, $patch: "delete" },
      ],
    },
  });
});

describe("from three states", () => {
  test("tells the keys that are left when others have added one", () => {
    const strategy = (fields: object) => ({ spec: { strategy: { type: "RollingUpdate", ...fields } } });
    const state = {
      original: {},
      modified: strategy({}),
      current: strategy({ rollingUpdate: { maxSurge: 1 } }),
    };
    expect(createThreeWayPatch(state, deployment)).toEqual({
      spec: { strategy: { $retainKeys: ["type"] } },
    });
  });

  test("deletes items that are gone already", () => {
    const template = (...names: readonly string[]) => ({
      spec: { containers: names.map((name) => ({ name })) },
    });
    const state = { original: template("a", "b"), modified: template("a"), current: template("a") };
    expect(createThreeWayPatch(state, pod)).toEqual({
      spec: {
        "$setElementOrder/containers": [{ name: "a" }],
        containers: [{ name: "b", $patch: "delete" }],
      },
    });
  });

  test("sets what is to be applied, deletes what was applied, and leaves what others set", () => {
    const original = { spec: { replicas: 1, paused: true } };
    const modified = { spec: { replicas: 3 } };
    const current = { spec: { replicas: 2, paused: true, minReadySeconds: 5 } };
    const patch = createThreeWayPatch({ original, modified, current }, deployment);
    expect(patch).toEqual({ spec: { replicas: 3, paused: null } });
    expect(strategicMergePatch(current, patch, deployment)).toEqual({
      spec: { replicas: 3, minReadySeconds: 5 },
    });
  });

  test("deletes items that were applied, and keeps those that others added", () => {
    const template = (...names: readonly string[]) => ({
      spec: { template: { spec: { containers: names.map((name) => ({ name })) } } },
    });
    const current = template("sidecar", "a", "b");
    const patch = createThreeWayPatch(
      { original: template("a", "b"), modified: template("a"), current },
      deployment,
    );
    expect(patch).toEqual({
      spec: {
        template: {
          spec: {
            "$setElementOrder/containers": [{ name: "a" }],
            containers: [{ name: "b", $patch: "delete" }],
          },
        },
      },
    });
    expect(strategicMergePatch(current, patch, deployment)).toEqual(template("sidecar", "a"));
  });
});

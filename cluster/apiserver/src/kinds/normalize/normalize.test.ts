import { deepFreeze } from "@kedge/machinery";
import { builtinTable } from "@kedge/machinery/schema-table";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { builtinDefaults } from "../defaults/index.ts";
import { normalizer } from "./normalize.ts";

const normalize = normalizer(builtinTable(), builtinDefaults());
const pod = { group: "", version: "v1", kind: "Pod" };
const autoscaler = { group: "autoscaling", version: "v2", kind: "HorizontalPodAutoscaler" };
const service = { group: "", version: "v1", kind: "Service" };

function normalized(object: Record<string, unknown>, kind = pod): Record<string, unknown> {
  const copy = structuredClone(object);
  normalize(copy, kind);
  return copy;
}

describe("what Go's types make of an object", () => {
  test("zero is nothing, but where it counts", () => {
    const spec = {
      containers: [],
      hostNetwork: false,
      nodeName: "",
      priority: 0,
      hostUsers: false,
      tolerations: [],
    };
    const result = normalized({ spec });
    expect(result).toMatchObject({ spec: { containers: null, priority: 0, hostUsers: false } });
    for (const field of ["hostNetwork", "nodeName", "tolerations"])
      expect(result["spec"]).not.toHaveProperty(field);
  });

  test("null is nothing, and so are unknown fields", () => {
    const result = normalized({ metadata: { labels: null, creationTimestamp: null }, nonsense: 1 });
    expect(result["metadata"]).toEqual({});
    expect(result).not.toHaveProperty("nonsense");
  });

  test("structs that are always written are there", () => {
    expect(normalized({}, service)).toMatchObject({ metadata: {}, status: { loadBalancer: {} } });
  });
});

describe("doing it twice", () => {
  const text = fc.constantFrom("", "a", "web:1", "TCP");
  const amount = fc.constantFrom("0.5", "1e3", "100u", "1024Mi", "0");
  const maybe = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
    fc.option(fc.option(of), { nil: undefined });
  const container = fc.record(
    {
      name: text,
      image: text,
      stdin: fc.boolean(),
      ports: maybe(
        fc.array(fc.record({ containerPort: fc.nat(3), protocol: maybe(text) }, { requiredKeys: [] })),
      ),
      resources: maybe(
        fc.record(
          { limits: maybe(fc.dictionary(fc.constantFrom("cpu", "memory"), amount)) },
          { requiredKeys: [] },
        ),
      ),
      livenessProbe: maybe(
        fc.record(
          { httpGet: maybe(fc.record({ port: fc.constantFrom(0, 80, "http") })), periodSeconds: fc.nat(2) },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  );
  const spec = fc.record(
    {
      containers: maybe(fc.array(container, { maxLength: 3 })),
      hostNetwork: fc.boolean(),
      serviceAccount: maybe(text),
      terminationGracePeriodSeconds: maybe(fc.integer({ min: -1, max: 2 })),
      volumes: maybe(
        fc.array(
          fc.record({ name: text, secret: maybe(fc.record({ secretName: text })) }, { requiredKeys: [] }),
        ),
      ),
    },
    { requiredKeys: [] },
  );

  test("changes nothing more", () => {
    fc.assert(
      fc.property(spec, (given) => {
        const once = normalized({ apiVersion: "v1", kind: "Pod", metadata: {}, spec: given });
        expect(normalized(once)).toEqual(once);
      }),
    );
  });

  test("writes nothing into parts of a stored object: they are frozen", () => {
    fc.assert(
      fc.property(spec, (given) => {
        const once = normalized({ apiVersion: "v1", kind: "Pod", metadata: {}, spec: given });
        const shared = { ...once, spec: deepFreeze(structuredClone(once["spec"])) };
        normalize(shared, pod);
        expect(shared).toEqual(once);
      }),
    );
    const behavior = { scaleUp: { selectPolicy: "Min" } };
    const once = normalized({ metadata: {}, spec: { behavior } }, autoscaler);
    const shared = { ...once, spec: deepFreeze(structuredClone(once["spec"])) };
    normalize(shared, autoscaler);
    expect(shared).toEqual(once);
  });
});

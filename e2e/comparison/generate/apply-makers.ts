import type { Random } from "@kedge/machinery";
import { objectAt, type JsonObject } from "../json.ts";
import type { ApplyKindName } from "../topics/apply-kinds.ts";
import { list, metadata, partOf, texts, type StepMaker } from "./apply-steps.ts";
import { chance, oneOf, subset } from "./choose.ts";

const value = (random: Random): string => oneOf(random, ["1", "2"]);

/** An object with metadata, more often than not. */
function withMetadata(random: Random, rest: JsonObject): JsonObject {
  return chance(random, 60) ? { metadata: metadata(random), ...rest } : rest;
}

const configMap: StepMaker = {
  config: (random) =>
    withMetadata(
      random,
      partOf(
        random,
        {
          data: () => texts(random, ["a", "b", "c", "d"]),
          binaryData: () => ({ e: oneOf(random, ["AAA=", "AAE="]) }),
        },
        70,
      ),
    ),
  change: (random) => ({
    data: Object.fromEntries(
      subset(random, ["a", "b", "c", "d"]).map((key) => [key, chance(random, 40) ? null : value(random)]),
    ),
    ...(chance(random, 30)
      ? { metadata: { labels: oneOf<unknown>(random, [null, { x: "3" }, { x: null, y: "1" }]) } }
      : {}),
  }),
  faulty: [
    { data: { a: 1 } },
    { bogus: true },
    { data: "none" },
    { metadata: { managedFields: [] } },
    { metadata: { labels: ["x"] } },
    { metadata: { ownerReferences: [{ name: "no uid" }] } },
    { metadata: { finalizers: ["example.com/a", "example.com/a"] } },
    { data: null },
    { data: { a: null } },
  ],
};

function thingSpec(random: Random, percent: number): JsonObject {
  return partOf(
    random,
    {
      count: () => random.int(2),
      on: () => chance(random, 50),
      granular: () =>
        partOf(
          random,
          { a: () => value(random), b: () => value(random), deep: () => texts(random, ["k", "l"]) },
          60,
        ),
      atomic: () => texts(random, ["a", "b"]),
      texts: () => texts(random, ["k", "l", "m"]),
      atomicTexts: () => texts(random, ["k", "l"]),
      set: () => list(random, ["p", "q", "r", "s"]),
      list: () => list(random, ["p", "q"]),
      objects: () => list(random, [1, 2]).map(() => texts(random, ["k", "l"])),
      ports: () =>
        list(random, ["80", "80/UDP", "443/TCP", "53/UDP"]).map((key) => {
          const [port = "", protocol] = key.split("/");
          return {
            port: Number(port),
            ...(protocol === undefined ? {} : { protocol }),
            ...partOf(random, { name: () => value(random), tags: () => list(random, ["t", "u"]) }, 50),
          };
        }),
      items: () =>
        list(random, ["one", "two", "three"]).map((name) => ({
          name,
          ...partOf(
            random,
            {
              value: () => value(random),
              sub: () => texts(random, ["x", "y"]),
              nested: () =>
                list(random, [1, 2, 3]).map((id) => ({
                  id,
                  ...(chance(random, 70) ? { value: value(random) } : {}),
                })),
            },
            50,
          ),
        })),
      free: () =>
        partOf(
          random,
          {
            s: () => value(random),
            l: () => list(random, [1, 2]),
            o: () => ({ in: texts(random, ["x", "y"]) }),
            n: () => random.int(2),
          },
          50,
        ),
      either: () => oneOf<unknown>(random, [1, "1"]),
    },
    percent,
  );
}

const thing: StepMaker = {
  config: (random) => {
    const config = withMetadata(random, { spec: thingSpec(random, 35) });
    // The server stores empty lists of a custom object's metadata without showing them, and the next write, whatever it
    // is, takes them away: what cannot be seen cannot be compared.
    const shown = Object.entries(objectAt(config, "metadata")).filter(
      ([, part]) => Object.keys(part ?? {}).length > 0,
    );
    return { ...config, metadata: Object.fromEntries(shown) };
  },
  change: (random) => ({
    spec: {
      ...thingSpec(random, 20),
      ...Object.fromEntries(
        subset(random, ["set", "ports", "items", "granular", "free", "texts"], 12).map((key) => [key, null]),
      ),
    },
  }),
  status: (random) =>
    partOf(
      random,
      {
        phase: () => value(random),
        conditions: () => list(random, ["Ready", "Done"]).map((type) => ({ type, status: value(random) })),
        counts: () => texts(random, ["k", "l"]),
      },
      60,
    ),
  faulty: [
    { spec: { bogus: 1 } },
    { spec: { count: "one" } },
    { spec: { on: 1 } },
    { spec: { set: ["p", "p"] } },
    { spec: { set: [1] } },
    { spec: { items: [{ value: "no name" }] } },
    { spec: { items: [{ name: "one" }, { name: "one" }] } },
    { spec: { ports: [{ port: 80 }, { port: 80, protocol: "TCP" }] } },
    { spec: { ports: ["80"] } },
    { spec: { granular: [] } },
    { spec: { texts: { k: 1 } } },
    { spec: { list: "p" } },
    { spec: "none" },
  ],
};

const container = (random: Random): JsonObject => ({
  name: "web",
  image: `example.com/app:${1 + random.int(2)}`,
  ...partOf(
    random,
    {
      env: () => list(random, ["A", "B", "C"]).map((name) => ({ name, value: value(random) })),
      ports: () => list(random, [80, 443]).map((containerPort) => ({ containerPort, protocol: "TCP" })),
    },
    50,
  ),
});

const deploymentOf = (random: Random, spec: JsonObject): JsonObject => withMetadata(random, { spec });

const deployment: StepMaker = {
  owner: {
    name: "owner",
    config: (random) =>
      deploymentOf(random, {
        replicas: 1 + random.int(2),
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [container(random)] } },
      }),
  },
  config: (random) =>
    deploymentOf(
      random,
      partOf(
        random,
        {
          replicas: () => 1 + random.int(3),
          paused: () => true,
          template: () => ({
            ...(chance(random, 40) ? { metadata: { labels: texts(random, ["x", "y"]) } } : {}),
            spec: partOf(
              random,
              {
                containers: () => [container(random)],
                nodeSelector: () => texts(random, ["disk", "zone"]),
                tolerations: () => list(random, ["k", "l"]).map((key) => ({ key, operator: "Exists" })),
                imagePullSecrets: () => list(random, ["s", "t"]).map((name) => ({ name })),
              },
              60,
            ),
          }),
        },
        60,
      ),
    ),
  change: (random) => ({
    spec: partOf(
      random,
      {
        replicas: () => 1 + random.int(3),
        minReadySeconds: () => 1 + random.int(3),
        template: () => ({
          spec: { nodeSelector: oneOf<unknown>(random, [null, { disk: "3" }, { zone: null, x: "1" }]) },
        }),
      },
      60,
    ),
  }),
  faulty: [
    { spec: { replicas: "one" } },
    { spec: { template: { spec: { containers: [{ image: "no name" }] } } } },
    { spec: { bogus: 1 } },
  ],
};

const servicePorts = (random: Random): JsonObject[] =>
  list(random, ["80/TCP", "443/TCP", "53/TCP", "53/UDP"]).map((key) => {
    const [port = "", protocol = ""] = key.split("/");
    const name = `p${port}-${protocol.toLowerCase()}`;
    return { name, port: Number(port), protocol, targetPort: oneOf<unknown>(random, [Number(port), "http"]) };
  });

const service: StepMaker = {
  owner: {
    name: "owner",
    config: (random) =>
      deploymentOf(random, {
        type: "ClusterIP",
        clusterIP: "None",
        clusterIPs: ["None"],
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
        selector: { app: "web", ...texts(random, ["x"]) },
        ports: [{ name: "own", port: 8080, protocol: "TCP", targetPort: 8080 }, ...servicePorts(random)],
      }),
  },
  config: (random) =>
    deploymentOf(
      random,
      partOf(
        random,
        {
          ports: () => servicePorts(random),
          selector: () => texts(random, ["x", "y"]),
          publishNotReadyAddresses: () => true,
        },
        60,
      ),
    ),
  change: (random) => ({
    spec: partOf(random, { selector: () => ({ x: oneOf<unknown>(random, [null, "3"]) }) }, 80),
  }),
  faulty: [{ spec: { ports: [{ name: "no port" }] } }, { spec: { ports: "none" } }],
};

/** How the writes to each kind are made up. */
export const stepMakers: Readonly<Record<ApplyKindName, StepMaker>> = {
  ConfigMap: configMap,
  Thing: thing,
  Deployment: deployment,
  Service: service,
};

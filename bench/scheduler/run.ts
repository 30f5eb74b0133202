/**
 * What it costs the scheduler itself to place a pod, without server and network: from the object that the cache shows to
 * the node whose room is taken. 10,000 pods, of several kinds, on 100 and on 1,000 nodes. Beside it, in the same run, what
 * reading the JSON of the same pods costs: a pod is read at least twice on its way. Arguments: numbers of nodes.
 */
import { resourceVersion, seededRandom, uid } from "@kedge/machinery";
import type { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { Placement } from "@kedge/scheduler/placement";

const pods = 10_000;
const given = process.argv.slice(2).map(Number);
const sizes = given.length > 0 ? given : [100, 1000];
const random = seededRandom("bench");
const zone = "topology.kubernetes.io/zone";
const hostname = "kubernetes.io/hostname";

/** How the pods are. */
interface Sort {
  readonly name: string;
  readonly spec?: Partial<Pod["spec"]>;
  /** Whether a service means them, so that they are spread by default. */
  readonly isServed?: boolean;
  /** How many pods share a label; 10 workloads take turns by default. */
  readonly workloads?: number;
}

const like = (app: string) => ({ labelSelector: { matchLabels: { app } } });
const sorts: readonly Sort[] = [
  { name: "plain" },
  { name: "of a service", isServed: true },
  {
    name: "spread over zones",
    spec: {
      topologySpreadConstraints: [
        { topologyKey: zone, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule", ...like("app-0") },
      ],
    },
  },
  {
    name: "rather apart",
    spec: {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 100, podAffinityTerm: { topologyKey: hostname, ...like("app-0") } },
          ],
        },
      },
    },
  },
  {
    name: "beside another",
    spec: {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: zone, ...like("app-0") }],
        },
      },
    },
  },
  { name: "without a place", spec: { nodeSelector: { none: "such" } } },
];

process.stdout.write(row(["nodes", "pods", "CPU µs/pod", "JSON µs/pod", "ratio", "placed"]));
for (const size of sizes) {
  // The first round is for the machine to warm up.
  measure(size, { name: "warm-up" }, 2000);
  for (const sort of sorts) {
    const { placing, reading, placed } = measure(size, sort, pods);
    const cells = [
      size,
      sort.name,
      placing.toFixed(0),
      reading.toFixed(1),
      (placing / reading).toFixed(1),
      placed,
    ];
    process.stdout.write(row(cells.map(String)));
  }
}

interface Measured {
  readonly placing: number;
  readonly reading: number;
  readonly placed: number;
}

function measure(size: number, sort: Sort, count: number): Measured {
  const services =
    sort.isServed === true ? Array.from({ length: 10 }, (_, each) => ({ app: `app-${each}` })) : [];
  const placement = new Placement({ random, services: () => services });
  for (let index = 0; index < size; index++) placement.setNode(nodeOf(index, (pods / size) * 2));
  const texts = Array.from({ length: count }, (_, index) => JSON.stringify(podOf(index, sort)));
  const [objects, reading] = timed(() => texts.map((text) => JSON.parse(text) as Pod));
  const [placed, placing] = timed(
    () => objects.filter((pod) => placement.place(pod).node !== undefined).length,
  );
  return { placing: placing / count, reading: reading / count, placed };
}

function podOf(index: number, { spec, workloads = 10 }: Sort): Pod {
  const app = `app-${spec === undefined ? index % workloads : 0}`;
  const resources = { requests: { cpu: "10m", memory: "16Mi" } };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metaOf(`pod-${index}`),
      namespace: "default",
      labels: { app, "pod-template-hash": "abc" },
    },
    spec: {
      containers: [{ name: "main", image: "app:1", resources }],
      tolerations: [
        {
          key: "node.kubernetes.io/not-ready",
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: 300,
        },
      ],
      ...spec,
    },
    status: { phase: "Pending" },
  };
}

function nodeOf(index: number, mostPods: number): Node {
  const name = `node-${index}`;
  const allocatable = { cpu: "16", memory: "64Gi", pods: String(Math.ceil(mostPods)) };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { ...metaOf(name), labels: { [hostname]: name, [zone]: `zone-${index % 3}` } },
    spec: {},
    status: { allocatable, capacity: allocatable },
  };
}

function metaOf(name: string) {
  return {
    name,
    uid: uid(name),
    resourceVersion: resourceVersion("1"),
    creationTimestamp: "2026-01-01T00:00:00Z",
  };
}

/** The result, and microseconds of CPU. */
function timed<T>(work: () => T): readonly [T, number] {
  const before = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(before);
  return [result, user + system];
}

function row(cells: readonly string[]): string {
  return `${cells.map((cell) => cell.padStart(18)).join("")}\n`;
}

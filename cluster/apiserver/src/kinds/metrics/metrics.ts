import {
  addQuantities,
  deducedSchema,
  durationFromMs,
  durationToString,
  formatTime,
  isJsonObject,
  parseQuantity,
  quantityToString,
  type JsonObject,
  type Kind,
} from "@kedge/machinery";
import { Node, Pod } from "@kedge/machinery/kinds/core/v1";
import { NodeMetrics, PodMetrics } from "@kedge/machinery/metrics";
import { addressOf, type NodeStats } from "../../node-proxy/index.ts";
import { decodedAs } from "../../registry/decoded.ts";
import type { Computed, Objects, Resource, StoredApiObject } from "../../registry/types.ts";
import { column, nameColumn } from "../../tables/columns.ts";
import { printerOf, type Printer } from "../../tables/printer.ts";

/** metrics.k8s.io: what nodes and pods use. Nothing of it is stored: the nodes are asked. */
export function metricsResources(stats: NodeStats): readonly Resource[] {
  return [
    resource(NodeMetrics, nodePrinter, (objects, { name }) => nodeMetrics(objects, stats, name)),
    resource(PodMetrics, podPrinter, (objects, key) => podMetrics(objects, stats, key)),
  ];
}

function resource(kind: Kind, { table }: Printer, computed: Computed): Resource {
  return {
    group: kind.group,
    version: kind.version,
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    plural: kind.plural,
    singular: kind.singular ?? "",
    shortNames: [],
    categories: [],
    scope: kind.scope,
    verbs: ["get", "list"],
    storage: `${kind.group}/${kind.plural}`,
    schema: deducedSchema,
    strategy: {},
    table,
    subresources: new Map(),
    computed,
  };
}

async function nodeMetrics(
  objects: Objects,
  stats: NodeStats,
  name: string,
): Promise<readonly StoredApiObject[]> {
  const nodes = nodesOf(objects).filter(({ metadata }) => name === "" || metadata.name === name);
  const found = await Promise.all(
    nodes.map(async (node) => {
      const summary = await summaryOf(node, stats);
      const measured = measuredIn(summary?.["node"]);
      if (measured === undefined) return [];
      const { usage, ...times } = measured;
      return [{ ...metaOf(NodeMetrics, node), ...times, usage }];
    }),
  );
  return found.flat();
}

async function podMetrics(
  objects: Objects,
  stats: NodeStats,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<readonly StoredApiObject[]> {
  const pods = objectsOf(objects, Pod, namespace).filter(
    ({ metadata }) => name === "" || metadata.name === name,
  );
  const byNode = Map.groupBy(pods, (pod) => decodedAs(Pod, pod).spec?.nodeName ?? "");
  const nodes = nodesOf(objects).filter(({ metadata }) => byNode.has(metadata.name ?? ""));
  const found = await Promise.all(
    nodes.map(async (node) => {
      const summary = await summaryOf(node, stats);
      const byUid = new Map(objectsIn(summary?.["pods"]).map((one) => [uidOf(one), one]));
      return (byNode.get(node.metadata.name ?? "") ?? []).flatMap((pod) => {
        const measured = byUid.get(pod.metadata.uid ?? "");
        return measured === undefined ? [] : podMetricsOf(pod, measured);
      });
    }),
  );
  return found.flat();
}

function podMetricsOf(pod: StoredApiObject, measured: Readonly<JsonObject>): readonly StoredApiObject[] {
  const all = measuredIn(measured);
  if (all === undefined) return [];
  const containers = objectsIn(measured["containers"]).flatMap((one) => {
    const own = measuredIn(one);
    return own === undefined ? [] : [{ name: String(one["name"]), usage: own.usage }];
  });
  const { timestamp, window } = all;
  return [{ ...metaOf(PodMetrics, pod), timestamp, window, containers }];
}

/** Name and labels of what is measured. */
function metaOf(kind: Kind, { metadata }: StoredApiObject): StoredApiObject {
  const { name, namespace, labels } = metadata;
  return {
    kind: kind.kind,
    apiVersion: `${kind.group}/${kind.version}`,
    metadata: {
      name,
      ...(namespace !== undefined && namespace !== "" && { namespace }),
      ...(labels !== undefined && { labels }),
    },
  };
}

/** What one entry of a summary says of processors and memory. */
function measuredIn(
  entry: unknown,
): { readonly timestamp: string; readonly window: string; readonly usage: JsonObject } | undefined {
  const { cpu, memory } = isJsonObject(entry) ? entry : {};
  if (!isJsonObject(cpu) || !isJsonObject(memory)) return undefined;
  const cores = Number(cpu["usageNanoCores"]);
  const bytes = Number(memory["workingSetBytes"]);
  const time = Date.parse(String(cpu["time"]));
  if (!Number.isFinite(cores) || !Number.isFinite(bytes) || !Number.isFinite(time)) return undefined;
  const windowMs = Number(cpu["windowMilliseconds"] ?? usualWindow);
  return {
    timestamp: formatTime(time),
    window: durationToString(durationFromMs(windowMs)),
    usage: {
      cpu: quantityToString(parseQuantity(`${Math.round(cores)}n`)),
      memory: `${Math.round(bytes / 1024)}Ki`,
    },
  };
}

/** How long the kubelet measures; ours says it. */
const usualWindow = 10_000;

function objectsIn(list: unknown): readonly Readonly<JsonObject>[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function uidOf({ podRef }: Readonly<JsonObject>): string {
  return isJsonObject(podRef) ? String(podRef["uid"]) : "";
}

async function summaryOf(node: StoredApiObject, stats: NodeStats): Promise<Readonly<JsonObject> | undefined> {
  const address = addressOf(decodedAs(Node, node).status);
  return address === undefined ? undefined : await stats(address);
}

function nodesOf(objects: Objects): readonly StoredApiObject[] {
  return objectsOf(objects, Node, "");
}

function objectsOf(objects: Objects, kind: Kind, namespace: string): readonly StoredApiObject[] {
  const found = objects.registry.byKind(kind.group, kind.kind);
  if (found === undefined) return [];
  return objects.list(found, namespace === "" ? undefined : namespace);
}

const cpuColumn = column("CPU", "How much of processors it uses.");
const memoryColumn = column("Memory", "How much memory it uses.");
const windowColumn = column("Window", "Over how long it was measured.");

const nodePrinter = printerOf(
  NodeMetrics,
  [nameColumn, cpuColumn, memoryColumn, windowColumn],
  ({ metadata, usage, window }) => [metadata?.name, usage?.["cpu"], usage?.["memory"], window],
);

const podPrinter = printerOf(
  PodMetrics,
  [nameColumn, cpuColumn, memoryColumn, windowColumn],
  ({ metadata, containers, window }) => [
    metadata?.name,
    total(containers, "cpu"),
    total(containers, "memory"),
    window,
  ],
);

function total(
  containers:
    | readonly { readonly usage?: Readonly<Record<string, string | undefined>> | undefined }[]
    | undefined,
  name: string,
): string {
  const zero = parseQuantity(name === "memory" ? "0Ki" : "0");
  const all = (containers ?? []).map(({ usage }) => parseQuantity(usage?.[name] ?? "0"));
  return quantityToString(all.reduce(addQuantities, zero));
}

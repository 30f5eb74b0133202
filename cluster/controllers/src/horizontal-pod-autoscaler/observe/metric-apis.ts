import type { Client } from "@kedge/client";
import {
  ifFound,
  isJsonObject,
  isUnexpectedServerError,
  messageOf,
  parseApiVersion,
  parseDurationMs,
  parseTime,
  type DeepReadonly,
  type JsonObject,
} from "@kedge/machinery";
import type { CrossVersionObjectReference } from "@kedge/machinery/kinds/autoscaling/v2";
import { servedKind } from "../../served-kinds.ts";
import { milliValue, sumOf, type PodAmount, type PodAmounts } from "../plan/amounts.ts";

type Item = Readonly<JsonObject>;

/** Which metrics are meant: of which namespace, with which labels of their own. */
export interface MetricQuery {
  readonly namespace: string;
  readonly name: string;
  /** As text; "" for all. */
  readonly selector: string;
}

/** What the containers of a namespace's pods use of a resource; of one container when it is named. */
export async function readResource(
  client: Client,
  pods: { readonly namespace: string; readonly selector: string },
  { name, container }: { readonly name: string; readonly container?: string | undefined },
): Promise<PodAmounts> {
  const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${pods.namespace}/pods`;
  const asked = { path, query: { labelSelector: pods.selector }, resource: "pods.metrics.k8s.io" };
  return await from("resource", async () => {
    const items = await list(client, asked, "resource");
    return new Map(
      items.flatMap((item): [string, PodAmount][] => {
        const value = usageOf(item, name, container);
        const times = { time: timeOf(item), window: parseDurationMs(textOf(item["window"])) };
        return value === undefined ? [] : [[nameOf(item["metadata"]), { value, ...times }]];
      }),
    );
  });
}

function usageOf(item: Item, resource: string, container: string | undefined): bigint | undefined {
  const containers = objectsIn(item["containers"]).filter(
    ({ name }) => container === undefined || name === container,
  );
  const amounts = containers.map(({ usage }) => (isJsonObject(usage) ? usage[resource] : undefined));
  if (amounts.length === 0 || amounts.includes(undefined)) return undefined;
  return sumOf(amounts.map((amount) => milliValue(textOf(amount))));
}

const usualWindow = 60_000;

/** What pods say of themselves. */
export async function readPodsMetric(
  client: Client,
  pods: string,
  { namespace, name, selector }: MetricQuery,
): Promise<PodAmounts> {
  return await from("custom", async () => {
    const items = await list(
      client,
      {
        path: `${await customRoot(client)}/namespaces/${namespace}/pods/*/${segment(name)}`,
        query: { labelSelector: pods, metricLabelSelector: selector },
        resource: "pods.custom.metrics.k8s.io *",
      },
      "custom",
    );
    return new Map(
      items.map((item) => {
        const seconds = item["windowSeconds"] ?? item["window"];
        const window = typeof seconds === "number" ? seconds * 1000 : usualWindow;
        const value = milliValue(textOf(item["value"]));
        return [nameOf(item["describedObject"]), { value, time: timeOf(item), window }];
      }),
    );
  });
}

/** What is said of one object. */
export async function readObjectMetric(
  client: Client,
  object: DeepReadonly<CrossVersionObjectReference>,
  { namespace, name, selector }: MetricQuery,
): Promise<readonly bigint[]> {
  return await from("custom", async () => {
    const root = await customRoot(client);
    const { group } = parseApiVersion(object.apiVersion ?? "");
    const isNamespace = object.kind === "Namespace" && group === "";
    const resource = isNamespace ? "metrics" : await resourceOf(client, group, object.kind);
    const place = isNamespace ? "" : `/${segment(object.name)}`;
    const path = `${root}/namespaces/${namespace}/${resource}${place}/${segment(name)}`;
    const about = `${resource}.custom.metrics.k8s.io ${isNamespace ? name : object.name}`;
    const items = await itemsOf(client, { path, query: { metricLabelSelector: selector }, resource: about });
    if (items.length !== 1)
      throw new Error(
        `the custom metrics API server returned ${items.length} results when we asked for exactly one`,
      );
    return items.map((item) => milliValue(textOf(item["value"])));
  });
}

/** What is said of something outside of the cluster. */
export async function readExternalMetric(
  client: Client,
  { namespace, name, selector }: MetricQuery,
): Promise<readonly bigint[]> {
  const path = `/apis/external.metrics.k8s.io/v1beta1/namespaces/${namespace}/${segment(name)}`;
  const resource = `${name}.external.metrics.k8s.io`;
  return await from("external", async () => {
    const items = await list(client, { path, query: { labelSelector: selector }, resource }, "external");
    return items.map((item) => milliValue(textOf(item["value"])));
  });
}

const custom = "custom.metrics.k8s.io";
const customVersions: ReadonlySet<string> = new Set([`${custom}/v1beta2`, `${custom}/v1beta1`]);

/** The version that the server likes best of those that we know. */
async function customRoot(client: Client): Promise<string> {
  const group = await ifFound(client.getJson(`/apis/${custom}`));
  if (!isJsonObject(group)) throw new Error(`no custom metrics API (${custom}) registered`);
  const versions = [group["preferredVersion"], ...objectsIn(group["versions"])].flatMap((each) =>
    isJsonObject(each) ? [textOf(each["groupVersion"])] : [],
  );
  const known = versions.find((each) => customVersions.has(each));
  if (known === undefined) throw new Error("no known available metric versions found");
  return `/apis/${known}`;
}

async function resourceOf(client: Client, group: string, kind: string): Promise<string> {
  const served = await servedKind(client, { group, kind });
  if (served !== undefined) return group === "" ? served.plural : `${served.plural}.${group}`;
  const name = group === "" ? kind : `${kind}.${group}`;
  throw new Error(
    `unable to map kind ${name} to resource: no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`,
  );
}

interface Asked {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** How client-go calls what is asked for, where the answer is no API server's. */
  readonly resource: string;
}

async function list(client: Client, asked: Asked, api: string): Promise<readonly Item[]> {
  const items = await itemsOf(client, asked);
  if (items.length === 0) throw new NoMetrics(`no metrics returned from ${api} metrics API`);
  return items;
}

async function itemsOf(client: Client, { path, query, resource }: Asked): Promise<readonly Item[]> {
  const given = Object.entries(query).filter(([, value]) => value !== "");
  const text = new URLSearchParams(given).toString();
  try {
    const answer = await client.getJson(text === "" ? path : `${path}?${text}`);
    return objectsIn(isJsonObject(answer) ? answer["items"] : undefined);
  } catch (error) {
    if (!isUnexpectedServerError(error)) throw error;
    throw new Error(`${messageOf(error)} (get ${resource})`, { cause: error });
  }
}

/** There is an API, and it has nothing. */
class NoMetrics extends Error {}

async function from<T>(api: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NoMetrics) throw error;
    throw new Error(`unable to fetch metrics from ${api} metrics API: ${messageOf(error)}`, { cause: error });
  }
}

function segment(text: string): string {
  return encodeURIComponent(text);
}

function objectsIn(value: unknown): readonly Item[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function nameOf(value: unknown): string {
  return isJsonObject(value) ? textOf(value["name"]) : "";
}

function timeOf({ timestamp }: Item): number {
  return parseTime(textOf(timestamp));
}

/** Quantities may come as numbers. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

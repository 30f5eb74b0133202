import {
  fieldSelectorMatches,
  messageOf,
  parseFieldSelector,
  seededRandom,
  type Random,
} from "@kedge/machinery";
import { chance, distinct, oneOf, some } from "../generate/choose.ts";
import { mustWork } from "../server.ts";
import { topic, type Refusal } from "../topic.ts";

type Reply = readonly string[] | Refusal;

/** Which pods a field selector chooses. */
export const fieldSelectors = topic<string, Reply, null>({
  name: "field-selectors",
  inputs: (seed) => {
    const random = seededRandom(`${seed}field selectors`);
    return [...new Set([...distinct(120, () => selector(random)), ...oddities])];
  },
  titleOf: (input) => JSON.stringify(input),
  prepare: async ({ server, namespace }) => {
    for (const { name, ...spec } of pods) {
      const body = { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }], ...spec } };
      await mustWork(server.ask({ method: "POST", path: `/api/v1/namespaces/${namespace}/pods`, body }));
    }
    return null;
  },
  ask: async ({ server, namespace }, fieldSelector) => {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const { status, body } = await server.ask({ method: "GET", path, query: { fieldSelector } });
    if (status >= 300) return { status, text: String(body["message"]) };
    const { items } = body as { items: { metadata: { name: string } }[] };
    return items.map(({ metadata }) => metadata.name);
  },
  ours: ({ input }) => {
    try {
      const parsed = parseFieldSelector(input);
      return pods
        .filter((pod) => fieldSelectorMatches(parsed, (field) => fieldsOf(pod).get(field)))
        .map(({ name }) => name);
    } catch (error) {
      return { status: 400, text: messageOf(error) };
    }
  },
});

interface Pod {
  readonly name: string;
  readonly nodeName?: string;
  readonly restartPolicy?: string;
  readonly schedulerName?: string;
}

const pods: readonly Pod[] = [
  { name: "a" },
  { name: "b", nodeName: "n1" },
  { name: "c", nodeName: "n2", restartPolicy: "Never" },
  { name: "d", restartPolicy: "OnFailure", schedulerName: "other" },
  { name: "e.f", restartPolicy: "Never", schedulerName: "other" },
];

function fieldsOf({ name, nodeName, restartPolicy, schedulerName }: Pod): ReadonlyMap<string, string> {
  return new Map([
    ["metadata.name", name],
    ["spec.nodeName", nodeName ?? ""],
    ["spec.restartPolicy", restartPolicy ?? "Always"],
    ["spec.schedulerName", schedulerName ?? "default-scheduler"],
    ["status.phase", "Pending"],
    ["status.podIP", ""],
  ]);
}

const values = [
  "a",
  "c",
  "e.f",
  "n1",
  "n2",
  "",
  "Never",
  "Always",
  "OnFailure",
  "other",
  "Pending",
  "Running",
];

/** Texts that are wrong, or nearly. */
const oddities = [
  "",
  ",",
  "=",
  "!=",
  "==",
  ",,",
  "metadata.name",
  "metadata.name=a,",
  ",metadata.name=a",
  "metadata.name=a,,status.phase=Pending",
  String.raw`metadata.name=a\,b`,
  String.raw`metadata.name=a\=b`,
  String.raw`metadata.name=a\\`,
  String.raw`metadata.name=\a`,
  "metadata.name=a\\",
  "metadata.name=a=b",
  "metadata.name==a=b",
  "metadata.name===a",
  "metadata.name!=a!=b",
  "metadata.name= a",
  "metadata.name!a",
  "metadata.name in (a)",
  "metadata.name=(a)",
  "metadata.name=é",
  "metadata.name>a",
  "metadata.name=a;b",
  "name",
  "metadata.name!",
  "b,a",
  "x=y=z,c",
  "status.phase=Pending\n",
];

function selector(random: Random): string {
  const text = some(random, [1, 3], () => {
    const field = oneOf(random, [...fieldsOf({ name: "" }).keys()]);
    return `${field}${oneOf(random, ["=", "=", "==", "!="])}${oneOf(random, values)}`;
  }).join(",");
  if (!chance(random, 10)) return text;
  const at = text.lastIndexOf("=") + 1;
  return `${text.slice(0, at)}${oneOf(random, ["=", "\\", ",", "\\,", "\\="])}${text.slice(at)}`;
}

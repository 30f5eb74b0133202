import type { ApiPod } from "../model/types.ts";
import { sum, usageByPod } from "./summary.ts";
import type { NodeUsage, Usage } from "./usage-sampler.ts";

/** The answer of `/metrics/resource`: what a metrics server scrapes, in Prometheus' words. */
export function resourceMetrics(pods: readonly ApiPod[], usage: NodeUsage): string {
  const ofPods = usageByPod(pods, usage).map(({ pod: { metadata }, containers }) => ({
    pod: { namespace: metadata.namespace, pod: metadata.name },
    containers,
    usage: sum(containers.map((one) => one.usage)),
  }));
  const ofContainers = ofPods.flatMap(({ pod, containers }) =>
    containers.map(({ name, ...rest }) => ({ labels: { container: name, ...pod }, ...rest })),
  );
  const node = usage.node === undefined ? [] : [{ labels: {}, usage: usage.node }];
  const podUsages = ofPods.map(({ pod, usage: own }) => ({ labels: pod, usage: own }));
  return [
    ...family("container_cpu_usage_seconds_total", "counter", ofContainers.map(cpu)),
    ...family("container_memory_working_set_bytes", "gauge", ofContainers.map(memory)),
    ...family(
      "container_start_time_seconds",
      "gauge",
      ofContainers.map(({ labels, startedAt }) => ({ labels, value: startedAt / 1000, time: undefined })),
    ),
    ...family("node_cpu_usage_seconds_total", "counter", node.map(cpu)),
    ...family("node_memory_working_set_bytes", "gauge", node.map(memory)),
    ...family("pod_cpu_usage_seconds_total", "counter", podUsages.map(cpu)),
    ...family("pod_memory_working_set_bytes", "gauge", podUsages.map(memory)),
    ...family("resource_scrape_error", "gauge", [{ labels: {}, value: 0, time: undefined }]),
    "",
  ].join("\n");
}

interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
  readonly usage: Usage;
}

interface Value {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly time: number | undefined;
}

function cpu({ labels, usage }: Labelled): Value {
  return { labels, value: usage.cpuNanoseconds / 1e9, time: usage.time };
}

function memory({ labels, usage }: Labelled): Value {
  return { labels, value: usage.workingSetBytes, time: usage.time };
}

const help: Readonly<Record<string, string>> = {
  container_cpu_usage_seconds_total: "Cumulative cpu time consumed by the container in core-seconds",
  container_memory_working_set_bytes: "Current working set of the container in bytes",
  container_start_time_seconds: "Start time of the container since unix epoch in seconds",
  node_cpu_usage_seconds_total: "Cumulative cpu time consumed by the node in core-seconds",
  node_memory_working_set_bytes: "Current working set of the node in bytes",
  pod_cpu_usage_seconds_total: "Cumulative cpu time consumed by the pod in core-seconds",
  pod_memory_working_set_bytes: "Current working set of the pod in bytes",
  resource_scrape_error: "1 if there was an error while getting container metrics, 0 otherwise",
};

/** Names in Kubernetes hold nothing that would have to be escaped. */
function family(name: string, type: "counter" | "gauge", values: readonly Value[]): readonly string[] {
  return [
    `# HELP ${name} ${help[name] ?? ""}`,
    `# TYPE ${name} ${type}`,
    ...values.map(({ labels, value, time }) => {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
      const where = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
      return `${name}${where} ${value}${time === undefined ? "" : ` ${time}`}`;
    }),
  ];
}

import type { InstanceKey } from "./instance-key.ts";

/** A dashboard of Grafana for one instance: what its servers do, hold and lack. */
export function dashboardOf({ namespace, name }: InstanceKey): object {
  const of = `{namespace="${namespace}",pod=~"${name}-[0-9]+"}`;
  const panels = [
    { title: "Servers that answer", unit: "none", series: [[`sum(redis_up${of})`, "answer"]] },
    {
      title: "Commands a second",
      unit: "ops",
      series: [[`rate(redis_commands_processed_total${of}[1m])`, "{{pod}}"]],
    },
    {
      title: "Memory",
      unit: "bytes",
      series: [
        [`redis_memory_used_bytes${of}`, "{{pod}} used"],
        [`redis_memory_max_bytes${of} > 0`, "{{pod}} maxmemory"],
      ],
    },
    { title: "Keys", unit: "none", series: [[`sum by (pod) (redis_db_keys${of})`, "{{pod}}"]] },
    { title: "Clients", unit: "none", series: [[`redis_connected_clients${of}`, "{{pod}}"]] },
    {
      title: "Hits and misses a second",
      unit: "ops",
      series: [
        [`rate(redis_keyspace_hits_total${of}[1m])`, "{{pod}} hits"],
        [`rate(redis_keyspace_misses_total${of}[1m])`, "{{pod}} misses"],
      ],
    },
    {
      title: "Evicted and expired keys a second",
      unit: "ops",
      series: [
        [`rate(redis_evicted_keys_total${of}[1m])`, "{{pod}} evicted"],
        [`rate(redis_expired_keys_total${of}[1m])`, "{{pod}} expired"],
      ],
    },
    {
      title: "Replication offset",
      unit: "bytes",
      series: [[`redis_master_repl_offset${of}`, "{{pod}}"]],
    },
    {
      title: "Network",
      unit: "Bps",
      series: [
        [`rate(redis_net_input_bytes_total${of}[1m])`, "{{pod}} in"],
        [`rate(redis_net_output_bytes_total${of}[1m])`, "{{pod}} out"],
      ],
    },
    {
      title: "Changes of the primary",
      unit: "none",
      series: [[`kedge_redis_primary_epoch{namespace="${namespace}",name="${name}"}`, "epoch"]],
    },
  ] as const;
  const [width, height] = [12, 8];
  return {
    uid: `kedge-redis-${namespace}-${name}`.slice(0, 40),
    title: `Redis ${namespace}/${name}`,
    tags: ["redis", "kedge"],
    schemaVersion: 39,
    refresh: "30s",
    time: { from: "now-1h", to: "now" },
    templating: { list: [{ name: "datasource", type: "datasource", query: "prometheus" }] },
    panels: panels.map(({ title, unit, series }, index) => ({
      id: index + 1,
      type: "timeseries",
      title,
      datasource: { type: "prometheus", uid: "${datasource}" },
      gridPos: { x: (index % 2) * width, y: Math.floor(index / 2) * height, w: width, h: height },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: series.map(([expr, legendFormat], at) => ({
        refId: "ABCDEFGH".charAt(at),
        expr,
        legendFormat,
      })),
    })),
  };
}

import type { Clock } from "@kedge/machinery";
import type { MetricFamily, Sample } from "./exposition.ts";

/** What a request is counted by. Only names that the server knows: strangers may ask for whatever they like. */
export interface RequestLabels {
  /** `GET`, `LIST`, `WATCH`, `POST`, `PUT`, `PATCH`, `APPLY`, `DELETE`, `DELETECOLLECTION`, `CONNECT`, or `other`. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: "" | "cluster" | "namespace" | "resource";
  /** `All`, or empty. */
  readonly dryRun: string;
}

/** Seconds: those of Kubernetes. */
const buckets = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];

interface Counted {
  readonly labels: Readonly<Record<string, string>>;
  readonly codes: Map<number, number>;
  /** How many took so long, the last: longer than all. */
  readonly counts: number[];
  sum: number;
}

/** Counts requests, under Kubernetes' names. */
export class RequestMetrics {
  readonly #clock: Clock;
  readonly #counted = new Map<string, Counted>();
  readonly #inFlight = { mutating: 0, readOnly: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A request has come. What is returned is told its answer, once. */
  begin(method: string): (labels: RequestLabels, code: number) => void {
    const started = this.#clock.monotonic();
    const kind = method === "GET" || method === "HEAD" ? "readOnly" : "mutating";
    this.#inFlight[kind]++;
    return (labels, code) => {
      this.#inFlight[kind]--;
      this.#count(labels, code, (this.#clock.monotonic() - started) / 1000);
    };
  }

  #count(labels: RequestLabels, code: number, seconds: number): void {
    const counted = this.#countedOf(labels);
    counted.codes.set(code, (counted.codes.get(code) ?? 0) + 1);
    const at = buckets.findIndex((limit) => seconds <= limit);
    const bucket = at === -1 ? buckets.length : at;
    counted.counts[bucket] = (counted.counts[bucket] ?? 0) + 1;
    counted.sum += seconds;
  }

  #countedOf({ verb, group, version, resource, subresource, scope, dryRun }: RequestLabels): Counted {
    const key = `${verb} ${group}/${version}/${resource}/${subresource} ${scope} ${dryRun}`;
    const known = this.#counted.get(key);
    if (known !== undefined) return known;
    const labels = {
      component: "apiserver",
      dry_run: dryRun,
      group,
      resource,
      scope,
      subresource,
      verb,
      version,
    };
    const made = {
      labels,
      codes: new Map(),
      counts: Array.from({ length: buckets.length + 1 }, () => 0),
      sum: 0,
    };
    this.#counted.set(key, made);
    return made;
  }

  /** All of them as they are now. */
  families(): readonly MetricFamily[] {
    return [
      {
        name: "apiserver_current_inflight_requests",
        help: "Requests that are being worked on now.",
        type: "gauge",
        samples: Object.entries(this.#inFlight).map(([kind, value]) => ({
          labels: { request_kind: kind },
          value,
        })),
      },
      {
        name: "apiserver_request_total",
        help: "Requests by verb, resource and the code of the answer.",
        type: "counter",
        samples: [...this.#counted.values()].flatMap(({ labels, codes }) =>
          Array.from(codes, ([code, value]) => ({ labels: { code: String(code), ...labels }, value })),
        ),
      },
      {
        name: "apiserver_request_duration_seconds",
        help: "How long requests took until they were answered; watches until they began.",
        type: "histogram",
        samples: [...this.#counted.values()].flatMap(histogramSamples),
      },
    ];
  }
}

function histogramSamples({ labels, counts, sum }: Counted): readonly Sample[] {
  let total = 0;
  const upTo = counts.map((count, index): Sample => {
    total += count;
    return { suffix: "_bucket", labels: { ...labels, le: String(buckets[index] ?? "+Inf") }, value: total };
  });
  return [...upTo, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: total }];
}

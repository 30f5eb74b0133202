/** One metric with all its values, as they are now. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: Iterable<Sample>;
}

/** One line: a histogram's are of the names `_bucket`, `_sum` and `_count`. */
export interface Sample {
  /** Appended to the family's name. Default: nothing. */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The content type of the text below. */
export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

/** Metrics in the text format of Prometheus. */
export function expositionText(families: readonly MetricFamily[]): string {
  return families.map(familyText).join("");
}

function familyText({ name, help, type, samples }: MetricFamily): string {
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
  for (const { suffix = "", labels, value } of samples)
    lines.push(`${name}${suffix}${labelText(labels)} ${value}`);
  return `${lines.join("\n")}\n`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

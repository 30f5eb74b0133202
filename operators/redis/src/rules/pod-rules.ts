import { validateLabelValue, validateQualifiedName } from "@kedge/machinery";
import type { Refusal } from "@kedge/runtime";
import type { InstanceSpec } from "../kind.ts";
import { appLabel } from "../names.ts";

type PodMetadata = InstanceSpec["podMetadata"];

/** Which labels and annotations pods may not be given. The others are. */
export function podRefusals(metadata: PodMetadata): readonly Refusal[] {
  return [
    ...Object.entries(metadata?.labels ?? {}).flatMap(([key, value]) =>
      refusal(`spec.podMetadata.labels[${JSON.stringify(key)}]`, whyNoLabel(key, value)),
    ),
    ...Object.keys(metadata?.annotations ?? {}).flatMap((key) =>
      refusal(`spec.podMetadata.annotations[${JSON.stringify(key)}]`, whyNoKey(key)),
    ),
  ];
}

/** Which labels what is made for Prometheus may not be given. The others are. */
export function metricsRefusals({ metrics }: Pick<InstanceSpec, "metrics">): readonly Refusal[] {
  return Object.entries(metrics?.labels ?? {}).flatMap(([key, value]) =>
    refusal(`spec.metrics.labels[${JSON.stringify(key)}]`, whyNoLabel(key, value)),
  );
}

/** Those of labels that can be. */
export function acceptedLabels(
  labels: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const all = Object.entries(labels);
  return Object.fromEntries(all.filter(([key, value]) => whyNoLabel(key, value) === undefined));
}

/** What of `spec.podMetadata` pods get. */
export function acceptedPodMetadata(metadata: PodMetadata): {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
} {
  const annotations = Object.entries(metadata?.annotations ?? {});
  return {
    labels: acceptedLabels(metadata?.labels),
    annotations: Object.fromEntries(annotations.filter(([key]) => whyNoKey(key) === undefined)),
  };
}

function refusal(field: string, message: string | undefined): readonly Refusal[] {
  return message === undefined ? [] : [{ field, message }];
}

function whyNoLabel(key: string, value: string): string | undefined {
  const [wrong] = validateLabelValue(value);
  return whyNoKey(key) ?? (wrong === undefined ? undefined : `cannot be the value of a label: ${wrong}`);
}

function whyNoKey(key: string): string | undefined {
  if (ours.some((one) => (one.endsWith("/") ? key.startsWith(one) : key === one))) {
    return "is set by the operator or by Kubernetes, which find the pods by it: choose another key";
  }
  const [wrong] = validateQualifiedName(key);
  return wrong === undefined ? undefined : `cannot be a key: ${wrong}`;
}

/** Keys, and prefixes of keys, that others set on the pods. */
const ours: readonly string[] = [
  ...Object.keys(appLabel),
  "redis.github.com/",
  "statefulset.kubernetes.io/",
  "apps.kubernetes.io/",
  "controller-revision-hash",
];

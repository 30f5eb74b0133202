import { describe, expect, it } from "vitest";
import { failed, job } from "../testing/job-builders.ts";
import { podOfJob } from "./new-pod.ts";

describe("a new pod of a job", () => {
  it("has the template, an owner, and the finalizer that its end is counted by", () => {
    const { metadata, spec } = podOfJob(job(), {});
    expect(metadata).toMatchObject({
      generateName: "work-",
      labels: { job: "work" },
      finalizers: ["batch.kubernetes.io/job-tracking"],
      ownerReferences: [{ kind: "Job", name: "work", controller: true }],
    });
    expect(spec).toEqual(job().spec.template.spec);
  });
  it("knows its index by annotation, label, host name and variable", () => {
    const { metadata, spec } = podOfJob(job({ completionMode: "Indexed" }), { index: 7 });
    const key = "batch.kubernetes.io/job-completion-index";
    expect(metadata).toMatchObject({
      generateName: "work-7-",
      labels: { [key]: "7" },
      annotations: { [key]: "7" },
    });
    expect(spec.hostname).toBe("work-7");
    expect(spec.containers[0]?.env).toEqual([
      { name: "JOB_COMPLETION_INDEX", valueFrom: { fieldRef: { fieldPath: `metadata.labels['${key}']` } } },
    ]);
  });
  it("keeps a variable that the template sets, and a name short enough", () => {
    const long = job({ completionMode: "Indexed" });
    long.metadata.name = "n".repeat(60);
    const containers = [{ name: "main", env: [{ name: "JOB_COMPLETION_INDEX", value: "mine" }] }];
    long.spec.template = { spec: { containers } };
    const { metadata, spec } = podOfJob(long, { index: 12 });
    expect(metadata.generateName).toBe(`${"n".repeat(54)}-12-`);
    expect(spec.containers[0]?.env).toHaveLength(1);
  });
  it.each([
    ["counted", "Count", { "job-index-failure-count": "3" }],
    ["ignored", "Ignore", { "job-index-failure-count": "2", "job-index-ignored-failure-count": "1" }],
  ])("takes over how often its index has failed: %s", (_name, action, expected) => {
    const podFailurePolicy = { rules: [{ action, onExitCodes: { operator: "In", values: [1] } }] };
    const spec = { completionMode: "Indexed", backoffLimitPerIndex: 9, podFailurePolicy };
    const { metadata } = podOfJob(job(spec), { index: 0, replaces: failed("a", { index: 0, failures: 2 }) });
    const counts = Object.entries(metadata.annotations ?? {}).filter(([name]) => name.includes("failure"));
    expect(Object.fromEntries(counts.map(([name, value]) => [name.replace(/.*\//u, ""), value]))).toEqual(
      expected,
    );
  });
});

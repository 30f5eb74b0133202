import { strategicMergePatch } from "@kedge/machinery";
import { expect, it } from "vitest";
import { podOf } from "../testing/pods.ts";
import { podSchema, statusPatch } from "./status-patch.ts";

const schema = podSchema();

it("the same status is no patch", () => {
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  const pod = podOf({ status });
  expect(statusPatch(pod, status, { schema, old: pod.status })).toBeUndefined();
});

it("what is null or undefined is as good as absent", () => {
  const pod = podOf({
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True", lastProbeTime: null }] },
  });
  const wanted = { phase: "Running", conditions: [{ type: "Ready", status: "True", reason: undefined }] };
  expect(statusPatch(pod, wanted, { schema, old: pod.status })).toBeUndefined();
});

it("a patch carries the uid, replaces addresses and leaves what others wrote in between", () => {
  const pod = podOf({
    status: { podIPs: [{ ip: "10.0.0.1" }], conditions: [{ type: "Ready", status: "False" }] },
  });
  const wanted = { podIPs: [{ ip: "10.0.0.2" }], conditions: [{ type: "Ready", status: "True" }] };
  const patch = statusPatch(pod, wanted, { schema, old: pod.status });
  expect(patch).toMatchObject({ metadata: { uid: pod.metadata.uid } });
  const onServer = {
    status: {
      podIPs: [{ ip: "10.0.0.1" }],
      conditions: [
        { type: "Ready", status: "False" },
        { type: "example.com/other", status: "True" },
      ],
    },
  };
  expect(strategicMergePatch(onServer, { ...patch }, schema)).toMatchObject({
    status: {
      podIPs: [{ ip: "10.0.0.2" }],
      conditions: expect.arrayContaining([
        { type: "Ready", status: "True" },
        { type: "example.com/other", status: "True" },
      ]) as unknown,
    },
  });
});

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SeccompProfile } from "@kedge/machinery/kinds/core/v1";
import { afterAll, beforeAll, expect, it } from "vitest";
import { containerNamed, podOf } from "../testing/pods.ts";
import { appArmorProfileOf, appArmorRefusal } from "./app-armor.ts";
import { seccompOf } from "./seccomp.ts";

const profile = { defaultAction: "SCMP_ACT_ALLOW" };
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kedge-seccomp-"));
  await mkdir(join(folder, "seccomp/profiles"), { recursive: true });
  await writeFile(join(folder, "seccomp/profiles/mine.json"), JSON.stringify(profile));
  await writeFile(join(folder, "seccomp/other.json"), "[]");
  await writeFile(join(folder, "seccomp/half.json"), "{");
  await writeFile(join(folder, "outside.json"), JSON.stringify(profile));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

const asked = async (ofPod?: SeccompProfile, own?: SeccompProfile) => {
  const container = containerNamed("app", { securityContext: { seccompProfile: own } });
  const pod = podOf({ spec: { securityContext: { seccompProfile: ofPod }, containers: [container] } });
  return await seccompOf(pod, container, folder);
};
const local = (localhostProfile: string): SeccompProfile => ({ type: "Localhost", localhostProfile });

it.each<[string, SeccompProfile | undefined, SeccompProfile | undefined, unknown]>([
  ["nothing is asked for", undefined, undefined, undefined],
  ["the pod asks for the default", { type: "RuntimeDefault" }, undefined, "RuntimeDefault"],
  ["the container wants none", { type: "RuntimeDefault" }, { type: "Unconfined" }, undefined],
  ["the container has its own", { type: "RuntimeDefault" }, local("profiles/mine.json"), profile],
])("%s", async (_title, ofPod, own, expected) => {
  expect(await asked(ofPod, own)).toEqual(expected);
});

it.each([
  ["missing.json", "ENOENT"],
  ["../outside.json", "must be a path inside the folder"],
  ["", "must be a path inside the folder"],
  ["other.json", "it has no defaultAction"],
  ["half.json", "JSON"],
])("refuses the profile %j: %s", async (name, why) => {
  await expect(asked(local(name))).rejects.toThrow(why);
  await expect(asked(local(name))).rejects.toThrow("cannot load seccomp profile");
});

it("knows AppArmor's annotations, and lets a loaded profile through where there is AppArmor", () => {
  const container = containerNamed("app");
  const annotated = (value: string) => {
    const annotations = { "container.apparmor.security.beta.kubernetes.io/app": value };
    return podOf({ metadata: { annotations }, spec: { containers: [container] } });
  };
  expect(appArmorRefusal(annotated("unconfined"), false)).toBeUndefined();
  expect(appArmorRefusal(annotated("localhost/mine"), false)).toContain("is not enabled on the host");
  expect(appArmorRefusal(annotated("localhost/mine"), true)).toBeUndefined();
  expect(appArmorProfileOf(annotated("localhost/mine"), container)).toBe("mine");
  expect(appArmorRefusal(annotated("runtime/default"), true)).toContain("has no default profile");
});

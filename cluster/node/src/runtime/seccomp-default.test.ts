import { expect, it } from "vitest";
import { defaultSeccomp } from "./seccomp-default.ts";

const allowed = (...capabilities: readonly string[]): readonly string[] =>
  (defaultSeccomp(new Set(capabilities), "x64").syscalls ?? []).flatMap(({ names, action, args }) =>
    action === "SCMP_ACT_ALLOW" && args === undefined ? names : [],
  );

it("allows what programs need, each once, and refuses the rest", () => {
  const names = allowed();
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(["openat", "execve", "futex", "accept4", "arch_prctl"]));
  expect(defaultSeccomp(new Set()).defaultAction).toBe("SCMP_ACT_ERRNO");
});

it.each(["add_key", "bpf", "clone3", "io_uring_setup", "kexec_load", "keyctl", "mount", "reboot", "setns"])(
  "refuses %s",
  (name) => {
    expect(allowed()).not.toContain(name);
  },
);

it("allows with a capability what is of use only with it", () => {
  expect(allowed("CAP_SYS_ADMIN")).toEqual(expect.arrayContaining(["mount", "unshare", "clone", "clone3"]));
  expect(allowed("CAP_SYS_CHROOT")).toContain("chroot");
  expect(allowed("CAP_SYS_CHROOT")).not.toContain("mount");
});

it("lets clone make processes, and no namespaces", () => {
  const rules = (defaultSeccomp(new Set()).syscalls ?? []).filter(({ names }) => names.includes("clone"));
  expect(rules).toEqual([
    {
      names: ["clone"],
      action: "SCMP_ACT_ALLOW",
      args: [{ index: 0, value: 0x7e02_0000, valueTwo: 0, op: "SCMP_CMP_MASKED_EQ" }],
    },
  ]);
});

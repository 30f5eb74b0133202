import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processesOf } from "../cluster/testing/machine.ts";
import { freePort } from "../testing/free-port.ts";
import { needs } from "../testing/needs.ts";
import { anotherUser, whyNoOtherUser, type AnotherUser } from "./testing/another-user.ts";

// The tests follow each other, on one cluster.
describe("a user who is not root", needs(whyNoOtherUser()), () => {
  let user: AnotherUser;
  beforeAll(async () => {
    user = await anotherUser();
  });
  afterAll(async () => {
    await user.kedge("down", "--purge");
    await user[Symbol.asyncDispose]();
  });

  it("is told the way out when they ask for containers", async () => {
    expect(await user.kedge("up", "--runtime", "runc")).toMatchObject({
      code: 1,
      stderr:
        "kedge: --runtime runc: containers need root: sudo ./kedge up; or leave out --runtime for simulated pods.\n",
    });
    expect(readdirSync(user.home)).toEqual([]);
  });

  it("has a cluster with simulated pods, and is told so in one line", async () => {
    const { code, stdout, stderr } = await user.kedge("up", "--detach", "--port", String(await freePort()));
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^Pods are simulated, because containers need root: .* Real ones: sudo \.\/kedge up --runtime runc with another --dir than \.kedge\.$/mu,
    );
    const dir = join(user.home, ".kedge");
    const isClosed = (path: string): boolean => (statSync(path).mode & 0o077) === 0;
    expect([dir, join(dir, "kubeconfig"), join(dir, "certificates")].every(isClosed)).toBe(true);
  });

  it("uses it with every command, and is told when it runs already", async () => {
    const status = await user.kedge("status");
    expect(status).toMatchObject({ code: 0 });
    expect(status.stdout).toMatch(
      /ready\n.*\n {2}store {7}lmdb\n {2}nodes {7}kedge Ready\n.*\(simulated: nothing runs in them\)\n/u,
    );
    expect((await user.kedge("up")).stderr).toMatch(/a cluster already runs in/u);
    expect(await user.kedge("node", "stop", "kedge")).toMatchObject({ code: 0 });
    expect(await user.kedge("node", "start", "kedge")).toMatchObject({ code: 0 });
    expect((await user.kedge("redis", "cli", "sample", "ping")).stderr).toMatch(/sample-0 is simulated/u);
  });

  it("stops it, starts it again, and deletes it, and nothing is left", async () => {
    expect(await user.kedge("down")).toMatchObject({ code: 0, stderr: "" });
    expect(await user.kedge("up", "--detach")).toMatchObject({ code: 0, stderr: "" });
    expect(await user.kedge("down", "--purge")).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(user.home)).toEqual([]);
    expect(processesOf([user.home])).toEqual([]);
  });

  it("is told where they may not write", async () => {
    expect((await user.kedge("up", "--dir", "/kedge-of-nobody")).stderr).toMatch(
      /^kedge: \/kedge-of-nobody cannot be written to: this user may not write there \(EACCES\)\. Give another --dir\.$/mu,
    );
  });
});

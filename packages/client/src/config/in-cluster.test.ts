import { realClock, VirtualClock, type Clock } from "@kedge/machinery";
import { describe, expect, test } from "vitest";
import { loadInCluster } from "./in-cluster.ts";
import { pairs } from "./testing/certificates.ts";
import { failureOf } from "./testing/failure-of.ts";
import { tempFolder } from "./testing/temp-folder.ts";

const service = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };

interface Setup {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly namespace?: string;
  readonly clock?: Clock;
}

const mounted = { token: "one\n", "ca.crt": pairs.one.certificate, namespace: "shop\n" };

async function pod({ files = mounted, env = service, clock = realClock, namespace }: Setup = {}) {
  const folder = await tempFolder();
  await Promise.all(Object.entries(files).map(([name, content]) => folder.write(name, content)));
  const directory = folder.path(".");
  return { folder, directory, loading: loadInCluster({ env, clock, directory, namespace }) };
}

describe("in a pod", () => {
  test("service, authority, token and namespace are found", async () => {
    const { directory, loading } = await pod();
    const { credentials, ...config } = await loading;
    expect(config).toEqual({
      server: "https://10.96.0.1",
      trust: { ca: pairs.one.certificate },
      namespace: "shop",
      source: `service account of this pod (${directory})`,
    });
    expect(await credentials.current()).toEqual({ authorization: "Bearer one" });
  });

  test.each([
    ["10.96.0.1", "443", "https://10.96.0.1"],
    ["10.96.0.1", "6443", "https://10.96.0.1:6443"],
    ["fd00::1", "443", "https://[fd00::1]"],
    ["fd00::1", "6443", "https://[fd00::1]:6443"],
    ["kubernetes.default.svc", "443", "https://kubernetes.default.svc"],
  ])("host %s and port %s are the server %s", async (host, port, server) => {
    const env = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port };
    expect((await (await pod({ env })).loading).server).toBe(server);
  });

  test("the token follows its rotation: within a minute, and at once after a 401", async () => {
    const clock = new VirtualClock();
    const { folder, loading } = await pod({ clock });
    const { credentials } = await loading;
    const first = await credentials.current();
    await folder.write("token", "two");
    expect(await credentials.current()).toBe(first);
    await clock.advance(60_000);
    const second = await credentials.current();
    expect(second).toEqual({ authorization: "Bearer two" });
    await folder.write("token", "three");
    expect(credentials.refused(second)).toBe(true);
    expect(await credentials.current()).toEqual({ authorization: "Bearer three" });
  });

  test.each<[what: string, setup: Setup, namespace: string]>([
    ["the option first", { namespace: "own", env: { ...service, POD_NAMESPACE: "pod" } }, "own"],
    ["then POD_NAMESPACE", { env: { ...service, POD_NAMESPACE: "pod" } }, "pod"],
    ["an empty one is none", { namespace: "", env: { ...service, POD_NAMESPACE: "" } }, "shop"],
    ["then default", { files: { token: "t" } }, "default"],
    ["an empty file is none", { files: { token: "t", namespace: "\n" } }, "default"],
  ])("the namespace: %s", async (_what, setup, namespace) => {
    expect((await (await pod(setup)).loading).namespace).toBe(namespace);
  });

  test("an authority may be missing but not broken", async () => {
    expect((await (await pod({ files: { token: "t" } })).loading).trust).toEqual({});
    const { loading } = await pod({ files: { token: "t", "ca.crt": "nonsense" } });
    expect((await failureOf(loading)).message).toContain("service account of this pod: ca.crt: ");
  });

  test("the proxy of the environment is used, but for NO_PROXY", async () => {
    const env = { ...service, HTTPS_PROXY: "http://proxy:1" };
    expect((await (await pod({ env })).loading).proxy).toBe("http://proxy:1");
    const direct = { ...env, NO_PROXY: "10.0.0.0/8" };
    expect(await (await pod({ env: direct })).loading).not.toHaveProperty("proxy");
  });
});

describe("outside of a pod", () => {
  test.each<[setup: Setup, message: string]>([
    [{ env: {} }, "not in a cluster: KUBERNETES_SERVICE_HOST is not set"],
    [{ env: { KUBERNETES_SERVICE_HOST: "x" } }, "not in a cluster: KUBERNETES_SERVICE_PORT is not set"],
    [{ files: {} }, "not in a cluster: FOLDER/token: no such file"],
    [
      { files: { token: " " } },
      "service account of this pod: token: FOLDER/token is empty: it must hold a token",
    ],
    [
      { env: { KUBERNETES_SERVICE_HOST: "x", KUBERNETES_SERVICE_PORT: "tcp" } },
      'environment: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: must be a host and a port, got "https://x:tcp"',
    ],
  ])("%j says what is missing", async (setup, message) => {
    const { directory, loading } = await pod(setup);
    const error = await failureOf(loading);
    expect(error.code).toBe("CONFIG");
    expect(error.message).toBe(message.replace("FOLDER", directory));
  });
});

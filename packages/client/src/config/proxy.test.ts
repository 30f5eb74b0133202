import { describe, expect, test } from "vitest";
import { chooseProxy } from "./proxy.ts";
import { failureOf, shown } from "./testing/failure-of.ts";

const place = { document: "config", path: "clusters[0].cluster.proxy-url", code: "CONFIG" } as const;

describe("the environment's proxy", () => {
  test.each<[what: string, server: string, env: Record<string, string>, proxy: string | undefined]>([
    ["nothing set", "https://k8s:6443", {}, undefined],
    ["HTTPS_PROXY for https", "https://k8s:6443", { HTTPS_PROXY: "http://p:1" }, "http://p:1"],
    ["HTTP_PROXY not for https", "https://k8s:6443", { HTTP_PROXY: "http://p:1" }, undefined],
    ["HTTP_PROXY for http", "http://k8s", { HTTP_PROXY: "http://p:1" }, "http://p:1"],
    ["HTTPS_PROXY not for http", "http://k8s", { HTTPS_PROXY: "http://p:1" }, undefined],
    ["lower case", "https://k8s", { https_proxy: "http://p:1" }, "http://p:1"],
    [
      "upper case first",
      "https://k8s",
      { https_proxy: "http://l:1", HTTPS_PROXY: "http://u:1" },
      "http://u:1",
    ],
    ["an empty one is none", "https://k8s", { HTTPS_PROXY: "", https_proxy: "http://l:1" }, "http://l:1"],
    ["ALL_PROXY for the rest", "https://k8s", { ALL_PROXY: "socks5://p:1" }, "socks5://p:1"],
    ["ALL_PROXY last", "https://k8s", { all_proxy: "socks5://p:1", https_proxy: "http://p:2" }, "http://p:2"],
    ["a bare host and port", "https://k8s", { HTTPS_PROXY: "proxy:3128" }, "http://proxy:3128"],
    ["with a password", "https://k8s", { HTTPS_PROXY: "http://me:pw@p:1/" }, "http://me:pw@p:1"],
    ["socks5h is socks5", "https://k8s", { HTTPS_PROXY: "socks5h://p:1" }, "socks5://p:1"],
    ["NO_PROXY in lower case", "https://k8s", { HTTPS_PROXY: "http://p:1", no_proxy: "k8s" }, undefined],
  ])("%s", (_what, server, env, proxy) => {
    expect(chooseProxy({ server, env })).toBe(proxy);
  });
});

describe("NO_PROXY, as Go reads it,", () => {
  test.each<[noProxy: string, server: string, isDirect: boolean]>([
    ["", "https://example.com", false],
    ["*", "https://example.com", true],
    ["*", "https://10.0.0.1", true],
    ["x, *", "https://example.com", true],
    ["example.com", "https://example.com", true],
    ["example.com", "https://EXAMPLE.com:6443", true],
    ["Example.COM", "https://example.com", true],
    ["example.com", "https://api.example.com", true],
    ["example.com", "https://badexample.com", false],
    ["example.com", "https://example.com.evil", false],
    [".example.com", "https://api.example.com", true],
    [".example.com", "https://example.com", false],
    ["*.example.com", "https://api.example.com", true],
    ["*.example.com", "https://example.com", false],
    [" a.b , example.com ", "https://example.com", true],
    ["example.com:6443", "https://example.com:6443", true],
    ["example.com:6443", "https://example.com", false],
    ["example.com:443", "https://example.com", true],
    ["example.com:80", "http://example.com", true],
    [".example.com:443", "https://a.example.com", true],
    [":443", "https://example.com", false],
    [".", "https://example.com", false],
    ["münchen.de", "https://api.münchen.de", true],
    ["10.0.0.1", "https://10.0.0.1:6443", true],
    ["10.0.0.1", "https://10.0.0.11", false],
    ["10.0.0.1:6443", "https://10.0.0.1:6443", true],
    ["10.0.0.1:6443", "https://10.0.0.1", false],
    ["10.0.0.0/8", "https://10.1.2.3:6443", true],
    ["10.0.0.0/8", "https://11.1.2.3", false],
    ["10.1.2.3/8", "https://10.9.9.9", true],
    ["10.0.0.0/33", "https://10.0.0.0", false],
    ["0.0.0.0/0", "https://8.8.8.8", true],
    ["0.0.0.0/0", "https://example.com", false],
    ["::/0", "https://10.0.0.1", false],
    ["::/0", "https://[fd12::1]", true],
    ["10.0.0.0/8", "https://[::ffff:10.0.0.1]", true],
    ["fd00::/8", "https://[fd12::1]:6443", true],
    ["fd00::/8", "https://[fe80::1]", false],
    ["fd12::1", "https://[fd12:0:0::1]", true],
    ["[fd12::1]:6443", "https://[fd12::1]:6443", true],
    ["[fd12::1]:6443", "https://[fd12::1]", false],
    ["0.1", "https://10.0.0.1", false],
  ])("%j: direct to %s: %s", (noProxy, server, isDirect) => {
    const proxy = chooseProxy({ server, env: { ALL_PROXY: "http://p:1", NO_PROXY: noProxy } });
    expect(proxy).toBe(isDirect ? undefined : "http://p:1");
  });

  test.each(["https://localhost:6443", "https://127.0.0.1", "https://127.9.9.9", "https://[::1]:6443"])(
    "is not needed for %s",
    (server) => {
      expect(chooseProxy({ server, env: { HTTPS_PROXY: "http://p:1" } })).toBeUndefined();
    },
  );

  test.each(["https://localhost.example.com", "https://128.0.0.1", "https://[::2]"])(
    "is needed for %s, which is no loopback",
    (server) => {
      expect(chooseProxy({ server, env: { HTTPS_PROXY: "http://p:1" } })).toBe("http://p:1");
    },
  );
});

describe("proxy-url", () => {
  test("goes before the environment, NO_PROXY included", () => {
    const env = { HTTPS_PROXY: "http://other:1", NO_PROXY: "*" };
    const proxyUrl = { value: "socks5://proxy:1080", place };
    expect(chooseProxy({ server: "https://k8s", env, proxyUrl })).toBe("socks5://proxy:1080");
  });

  test.each([
    "proxy:3128",
    "ftp://proxy",
    "socks4://proxy",
    "http://",
    "user:s3cr3t@proxy",
    "//me:s3cr3t/x@p",
  ])("%s is refused, its password not shown", async (value) => {
    const proxyUrl = { value, place };
    const error = await failureOf(() => chooseProxy({ server: "https://k8s", env: {}, proxyUrl }));
    expect(error.message).toContain(
      "config: clusters[0].cluster.proxy-url: must be a URL with http, https or socks5, got ",
    );
    expect(shown(error)).not.toContain("s3cr3t");
  });

  test("a variable that is no URL is named", async () => {
    const env = { https_proxy: "gopher://me:s3cr3t@p" };
    const error = await failureOf(() => chooseProxy({ server: "https://k8s", env }));
    expect(error.message).toBe(
      'environment: https_proxy: must be a URL with http, https or socks5, got "gopher://***@p"',
    );
  });
});

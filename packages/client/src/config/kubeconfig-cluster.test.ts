import { describe, expect, test } from "vitest";
import { pairs } from "./testing/certificates.ts";
import { failureOf, shown } from "./testing/failure-of.ts";
import { base64, load } from "./testing/load-one.ts";

describe("a cluster", () => {
  test.each([
    ["https://k8s:6443", "https://k8s:6443"],
    ["https://k8s:6443/", "https://k8s:6443"],
    ["https://k8s/clusters/a/", "https://k8s/clusters/a"],
    ["https://k8s/a?x=1#y", "https://k8s/a"],
    ["https://[fd00::1]:6443", "https://[fd00::1]:6443"],
    ["http://localhost:8080", "http://localhost:8080"],
  ])("with the server %s is reached at %s", async (server, base) => {
    expect((await load({ cluster: { server } })).server).toBe(base);
  });

  test.each<[cluster: object, trust: object]>([
    [{}, {}],
    [{ "certificate-authority": "ca.crt" }, { ca: pairs.one.certificate }],
    [{ "certificate-authority-data": base64(pairs.two.certificate) }, { ca: pairs.two.certificate }],
    [{ "insecure-skip-tls-verify": true }, { insecure: true }],
    [{ "tls-server-name": "kubernetes" }, { serverName: "kubernetes" }],
  ])("%j is trusted as it says", async (cluster, trust) => {
    expect((await load({ cluster })).trust).toEqual(trust);
  });

  test("tells proxy and compression; without a proxy-url the environment is asked", async () => {
    const env = { HTTPS_PROXY: "http://env:1" };
    const cluster = { "proxy-url": "http://own:1", "disable-compression": true };
    expect(await load({ cluster }, { env })).toMatchObject({
      proxy: "http://own:1",
      disableCompression: true,
    });
    const plain = await load({}, { env });
    expect(plain.proxy).toBe("http://env:1");
    expect(plain).not.toHaveProperty("disableCompression");
    expect(await load({})).not.toHaveProperty("proxy");
  });

  test.each<[cluster: object, message: string]>([
    [{ server: "foo" }, 'server: must be a URL, got "foo" (cluster "c")'],
    [{ server: "k8s:6443" }, 'server: must be a URL, got "k8s:6443" (cluster "c")'],
    [{ server: "" }, 'server: must be set (cluster "c")'],
    [{ server: "https://me:s3cr3t@k8s" }, "server: must not hold a user name and password"],
    [{ server: "htp://me:s3cr3t@k8s" }, 'server: must be a URL, got "htp://***@k8s"'],
    [{ "certificate-authority": "no.crt" }, "certificate-authority: cannot read FOLDER/no.crt: no such file"],
    [{ "certificate-authority": "token" }, "certificate-authority: FOLDER/token is not a PEM certificate"],
    [
      { "certificate-authority-data": base64("x") },
      "certificate-authority-data: this is not a PEM certificate",
    ],
    [{ "proxy-url": "ftp://p" }, "proxy-url: must be a URL with http, https or socks5"],
    [
      { "certificate-authority": "ca.crt", "insecure-skip-tls-verify": true },
      "insecure-skip-tls-verify: must not be true beside a certificate authority",
    ],
  ])("%j is refused", async (cluster, message) => {
    const error = await failureOf(load({ cluster }));
    const folder = /^(.*)\/config: /.exec(error.message)?.[1] ?? "?";
    expect(error.message).toContain(
      `${folder}/config: clusters[0].cluster.${message.replace("FOLDER", folder)}`,
    );
    expect(error.code).toBe("CONFIG");
    expect(shown(error)).not.toContain("s3cr3t");
  });

  test("may not have its authority twice", async () => {
    const cluster = { "certificate-authority": "ca.crt", "certificate-authority-data": "Q0E=" };
    const error = await failureOf(load({ cluster }));
    expect(error.message).toContain("has both certificate-authority and certificate-authority-data");
  });
});

import { describe, expect, test } from "vitest";
import { pairs } from "./testing/certificates.ts";
import { failureOf, shown } from "./testing/failure-of.ts";
import { base64, load } from "./testing/load-one.ts";
import { tempFolder } from "./testing/temp-folder.ts";

describe("a user", () => {
  test.each<[user: object, identity: object]>([
    [{}, {}],
    [{ token: "t" }, { authorization: "Bearer t" }],
    [{ tokenFile: "token" }, { authorization: "Bearer from-file" }],
    [{ token: "t", tokenFile: "token" }, { authorization: "Bearer from-file" }],
    [{ token: "t", tokenFile: "missing" }, { authorization: "Bearer t" }],
    [{ username: "me", password: "pä:ss" }, { authorization: `Basic ${base64("me:pä:ss")}` }],
    [{ "client-certificate": "tls.crt", "client-key": "tls.key" }, { clientCertificate: pairs.two }],
    [
      {
        "client-certificate-data": base64(pairs.one.certificate),
        "client-key-data": base64(pairs.one.key),
        token: "t",
      },
      { clientCertificate: pairs.one, authorization: "Bearer t" },
    ],
    [
      { "client-certificate-data": base64(pairs.two.certificate), "client-key": "tls.key" },
      { clientCertificate: pairs.two },
    ],
    [{ token: "t", exec: { command: "never-run" } }, { authorization: "Bearer t" }],
  ])("%j is who it says", async (user, identity) => {
    expect(await (await load({ user })).credentials.current()).toEqual(identity);
  });

  test("sends nothing secret and runs nothing without TLS", async () => {
    const cluster = { server: "http://k8s" };
    const exec = { apiVersion: "client.authentication.k8s.io/v1beta1", command: "never-run" };
    for (const user of [{ token: "t" }, { exec }, { username: "me", password: "p" }]) {
      expect(await (await load({ cluster, user })).credentials.current()).toEqual({});
    }
  });

  test.each<[user: object, message: string]>([
    [
      { "auth-provider": { name: "oidc", config: { "id-token": "s3cr3t" } } },
      '.auth-provider: "oidc" is not',
    ],
    [{ token: "s3cr3t", username: "me" }, ": has both a token and username/password"],
    [{ tokenFile: "token", username: "me" }, ": has both a token and username/password"],
    [{ password: "s3cr3t" }, ".username: must be set beside password"],
    [{ token: "s3cr3t\n" }, ".token: holds a token with spaces"],
    [{ tokenFile: "missing" }, ".tokenFile: cannot read "],
    [{ "client-certificate": "tls.crt" }, ": has a client-certificate but no client-key"],
    [{ "client-key-data": base64("s3cr3t") }, ": has a client-key but no client-certificate"],
    [{ "client-key": "tls.key", "client-key-data": "QQ==" }, ": has both client-key and client-key-data"],
    [
      { "client-certificate": "tls.crt", "client-certificate-data": "QQ==" },
      ": has both client-certificate and client-certificate-data",
    ],
    [
      { "client-certificate": "tls.crt", "client-key-data": base64(pairs.one.key) },
      ".client-key-data: is not the key of users[0].user.client-certificate",
    ],
    [{ "as-groups": ["admins"] }, ".as: must be set beside as-uid, as-groups and as-user-extra"],
    [{ "as-uid": "1" }, ".as: must be set beside as-uid, as-groups and as-user-extra"],
    [{ "as-user-extra": { a: ["b"] } }, ".as: must be set beside as-uid, as-groups and as-user-extra"],
    [{ exec: { apiVersion: "client.authentication.k8s.io/v1" } }, ".exec.command: must be set"],
  ])("%j is refused", async (user, message) => {
    const error = await failureOf(load({ user }));
    expect(error.message).toContain(`/config: users[0].user${message}`);
    expect(error.message).toContain('(user "u")');
    expect(error.code).toBe("CONFIG");
    for (const secret of ["s3cr3t", base64("s3cr3t")]) expect(shown(error)).not.toContain(secret);
  });

  test("of a legacy auth provider is told what to use instead", async () => {
    const error = await failureOf(load({ user: { "auth-provider": { name: "gcp" } } }));
    expect(error.hint).toContain("exec plugin");
  });

  test("may act as somebody else", async () => {
    const user = { as: "jane", "as-uid": "7", "as-groups": ["a", "b"], "as-user-extra": { scopes: ["x"] } };
    expect((await load({ user })).impersonate).toEqual({
      user: "jane",
      uid: "7",
      groups: ["a", "b"],
      extra: { scopes: ["x"] },
    });
    expect((await load({ user: { as: "jane" } })).impersonate).toEqual({ user: "jane" });
    expect(await load({})).not.toHaveProperty("impersonate");
  });

  test("is asked by its plugin only where the caller allows it", async () => {
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: "never-run",
      interactiveMode: "Always",
    };
    const error = await failureOf(load({ user: { exec } }, { interactive: false }));
    expect(error.message).toContain("users[0].user.exec.interactiveMode: ");
    expect(await load({ user: { exec } }, { interactive: true })).toHaveProperty("credentials");
  });

  test("may come from an exec plugin, which is told about the cluster", async () => {
    const folder = await tempFolder();
    const version = "client.authentication.k8s.io/v1";
    const command = await folder.script(
      "login",
      `echo "$KUBERNETES_EXEC_INFO" > '${folder.path("seen")}'
echo '{"apiVersion":"${version}","kind":"ExecCredential","status":{"token":"from-plugin"}}'`,
    );
    const exec = { apiVersion: version, interactiveMode: "Never", provideClusterInfo: true, command };
    const extension = { name: "client.authentication.k8s.io/exec", extension: { audience: "shop" } };
    const cluster = {
      "certificate-authority": "ca.crt",
      "tls-server-name": "kubernetes",
      "proxy-url": "http://proxy:1",
      extensions: [extension],
    };
    const config = await load({ cluster, user: { exec } }, { env: { PATH: "/usr/bin:/bin" } });
    expect(await folder.lines("seen")).toEqual([]);
    expect(await config.credentials.current()).toEqual({ authorization: "Bearer from-plugin" });
    const [info = ""] = await folder.lines("seen");
    expect(JSON.parse(info)).toMatchObject({
      spec: {
        cluster: {
          server: "https://k8s:6443",
          "certificate-authority-data": base64(pairs.one.certificate),
          "tls-server-name": "kubernetes",
          "proxy-url": "http://proxy:1",
          config: { audience: "shop" },
        },
      },
    });
  });
});

import { describe, expect, test } from "vitest";
import { parseKubeconfig } from "./kubeconfig-file.ts";
import { failureOf, shown } from "./testing/failure-of.ts";

const file = "/home/me/.kube/config";

const full = `
apiVersion: v1
kind: Config
current-context: prod
preferences: {colors: true}
clusters:
- name: prod
  cluster:
    server: https://prod.example:6443
    certificate-authority: pki/ca.crt
    tls-server-name: kubernetes
    proxy-url: http://proxy:3128
    disable-compression: true
    future-field: {a: 1}
    extensions:
    - {name: other, extension: {x: 1}}
    - name: client.authentication.k8s.io/exec
      extension: {audience: 06e3fbd18de8}
- name: bare
  cluster: {server: "https://bare", insecure-skip-tls-verify: true, certificate-authority-data: "Q0E="}
users:
- name: me
  user:
    client-certificate: ../me.crt
    client-key: /abs/me.key
    tokenFile: token
    as: admin
    as-uid: "17"
    as-groups: [a, b]
    as-user-extra: {scopes: [x, y]}
- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/login
      args: [--now]
      env: [{name: REGION, value: eu}]
      installHint: brew install login
      provideClusterInfo: true
      interactiveMode: Never
contexts:
- name: prod
  context: {cluster: prod, user: me, namespace: shop}
`;

describe("a kubeconfig", () => {
  test("is read with its paths resolved against its own folder", () => {
    const config = parseKubeconfig(full, file);
    expect(config.currentContext).toBe("prod");
    expect(config.clusters.get("prod")).toEqual({
      place: {
        document: file,
        path: "clusters[0].cluster",
        entry: 'cluster "prod"',
        code: "CONFIG",
      },
      server: "https://prod.example:6443",
      tlsServerName: "kubernetes",
      insecureSkipTlsVerify: false,
      certificateAuthority: "/home/me/.kube/pki/ca.crt",
      certificateAuthorityData: undefined,
      proxyUrl: "http://proxy:3128",
      disableCompression: true,
      execConfig: { audience: "06e3fbd18de8" },
    });
    expect(config.clusters.get("bare")).toMatchObject({
      insecureSkipTlsVerify: true,
      certificateAuthorityData: "CA",
    });
    expect(config.users.get("me")).toMatchObject({
      clientCertificate: "/home/me/me.crt",
      clientKey: "/abs/me.key",
      tokenFile: "/home/me/.kube/token",
      as: "admin",
      asUid: "17",
      asGroups: ["a", "b"],
      asUserExtra: { scopes: ["x", "y"] },
    });
    expect(config.users.get("plugin")?.exec).toMatchObject({
      command: "/home/me/.kube/bin/login",
      args: ["--now"],
      env: [{ name: "REGION", value: "eu" }],
      apiVersion: "client.authentication.k8s.io/v1",
      installHint: "brew install login",
      provideClusterInfo: true,
      interactiveMode: "Never",
    });
    expect(config.contexts.get("prod")).toMatchObject({ cluster: "prod", user: "me", namespace: "shop" });
  });

  test("may be JSON, indented with tabs", () => {
    const text = JSON.stringify({ clusters: [{ name: "c", cluster: { server: "https://c" } }] }, null, "\t");
    expect(parseKubeconfig(text, file).clusters.get("c")?.server).toBe("https://c");
  });

  test.each(["", "# only a comment", "clusters: null\nusers:\ncontexts: []", "{}"])(
    "may be as good as empty: %j",
    (text) => {
      const config = parseKubeconfig(text, file);
      expect([config.clusters.size, config.users.size, config.contexts.size]).toEqual([0, 0, 0]);
    },
  );

  test.each([
    ["login", "login"],
    ["./login", "/home/me/.kube/login"],
    ["bin/login", "/home/me/.kube/bin/login"],
    ["/usr/bin/login", "/usr/bin/login"],
  ])("means by the command %s: %s", (command, meant) => {
    const text = JSON.stringify({ users: [{ name: "u", user: { exec: { command } } }] });
    expect(parseKubeconfig(text, file).users.get("u")?.exec?.command).toBe(meant);
  });

  test("keeps entries that it cannot use from spoiling the others", () => {
    const text = "clusters: [{name: a, cluster: {server: foo}}, {name: b, cluster: {server: 'https://b'}}]";
    expect(parseKubeconfig(text, file).clusters.get("b")?.server).toBe("https://b");
  });
});

describe("a mistake is told by file, field and rule", () => {
  test.each([
    ["kind: Pod", 'kind: must be "Config", got "Pod"'],
    ["apiVersion: v2", 'apiVersion: must be "v1", got "v2"'],
    ["clusters: {}", "clusters: must be a list, got a mapping"],
    ["clusters: [3]", "clusters[0]: must be a mapping, got a number"],
    ["users: [{name: 1}]", "users[0].name: must be a string, got a number; put it in quotes"],
    ["users: [{name: u, user: []}]", 'users[0].user: must be a mapping, got a list (user "u")'],
    [
      "users: [{name: v}, {name: u, user: {token: 12345678}}]",
      'users[1].user.token: must be a string, got a number; put it in quotes (user "u")',
    ],
    [
      "clusters: [{name: c, cluster: {insecure-skip-tls-verify: 'yes'}}]",
      'clusters[0].cluster.insecure-skip-tls-verify: must be true or false, got a string (cluster "c")',
    ],
    [
      "clusters: [{name: c, cluster: {certificate-authority-data: '%%%%'}}]",
      'clusters[0].cluster.certificate-authority-data: must be base64 (cluster "c")',
    ],
    [
      "users: [{name: u, user: {as-groups: [a, {}]}}]",
      'users[0].user.as-groups[1]: must be a string, got a mapping (user "u")',
    ],
    [
      "users: [{name: u, user: {as-user-extra: {scopes: x}}}]",
      'users[0].user.as-user-extra.scopes: must be a list, got a string (user "u")',
    ],
    [
      "users: [{name: u, user: {exec: {env: [{value: x}]}}}]",
      'users[0].user.exec.env[0].name: must be set (user "u")',
    ],
    [
      "contexts: [{name: a}, {name: a}]",
      'contexts[1].name: duplicate name "a"; rename or remove one of them',
    ],
  ])("%s", async (text, message) => {
    const error = await failureOf(() => parseKubeconfig(text, file));
    expect(error.message).toBe(`${file}: ${message}`);
    expect(error.code).toBe("CONFIG");
  });

  test.each([
    ["users:\n- name: u\n  user: {token: s3cr3t-token", "bad indent at line 3, column 29"],
    ["a: 1\ntoken: s3cr3t-token\n- b", "at line"],
    ["token: *s3cr3t-token", "an alias has no anchor"],
    ["token: s3cr3t-token\ntoken: s3cr3t-token", "duplicate key at line 2, column 1"],
    ["token: s3cr3t-token\n---\nb: 1", "multiple docs at line 2, column 1"],
  ])("broken YAML %j is told without quoting it", async (text, message) => {
    const error = await failureOf(() => parseKubeconfig(text, file));
    expect(error.message).toContain(`${file}: is not valid YAML: `);
    expect(error.message).toContain(message);
    expect(shown(error)).not.toContain("s3cr3t");
  });
});

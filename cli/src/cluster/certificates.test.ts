import { createPrivateKey, X509Certificate } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadKubeconfig } from "@kedge/client";
import { realRandom, VirtualClock } from "@kedge/machinery";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ensureCertificates, readNodeCertificates, readServerCertificates } from "./certificates.ts";
import { clusterFolder, type ClusterFolder } from "./cluster-folder.ts";
import { kubeconfigOf, usersOf, writeKubeconfigs } from "./kubeconfigs.ts";
import { newNode } from "./node-settings.ts";

const days = 24 * 60 * 60 * 1000;
const begin = Date.parse("2026-11-16T00:00:00Z");
let folder: ClusterFolder;
beforeEach(() => {
  folder = clusterFolder(mkdtempSync(join(tmpdir(), "kedge-certificates-")));
});
afterEach(() => rmSync(folder.path, { recursive: true }));

const place = { id: "abc123", podRange: "10.244.0.0/16" };
const kedge = newNode({ ...place, nodes: [] }, "kedge");
const nodes = [kedge, newNode({ ...place, nodes: [kedge] }, "kedge-serving")];

const ensure = async (at: number) => {
  await ensureCertificates({
    folder,
    clock: new VirtualClock({ epoch: at }),
    random: realRandom,
    nodes,
    serverAddresses: ["10.244.0.1", "10.96.0.1"],
  });
  return await readServerCertificates(folder);
};

it("are made once, for the names that the server and the node are called by", async () => {
  const made = await ensure(begin);
  const names = (certificate: string): string => new X509Certificate(certificate).subjectAltName ?? "";
  expect(names(made.server.certificate)).toBe(
    "IP Address:127.0.0.1, DNS:localhost, IP Address:10.244.0.1, IP Address:10.96.0.1, DNS:kubernetes, DNS:kubernetes.default, DNS:kubernetes.default.svc, DNS:kubernetes.default.svc.cluster.local",
  );
  const [first, second] = await Promise.all(nodes.map(({ name }) => readNodeCertificates(folder, name)));
  expect(names(first?.serving.certificate ?? "")).toBe(
    "DNS:kedge, IP Address:10.244.0.1, IP Address:127.0.0.1",
  );
  expect(names(second?.serving.certificate ?? "")).toBe(
    "DNS:kedge-serving, IP Address:10.244.1.1, IP Address:127.0.0.1",
  );
  expect(await ensure(begin + days)).toEqual(made);
  expect(await readNodeCertificates(folder, "kedge")).toEqual(first);
});

it("are renewed before they run out, by the same authority while that is good", async () => {
  const made = await ensure(begin);
  const validTo = Date.parse(new X509Certificate(made.server.certificate).validTo);
  const later = await ensure(validTo - days);
  expect(later.authority).toBe(made.authority);
  expect(later.server.certificate).not.toBe(made.server.certificate);
  // Tokens that it signed are still good.
  expect(later.serviceAccountKey).toBe(made.serviceAccountKey);
  expect(
    new X509Certificate(later.server.certificate).verify(new X509Certificate(made.authority).publicKey),
  ).toBe(true);
});

it.each(["authority", "server"])("are made anew when a renewal of %s was cut off half way", async (name) => {
  const made = await ensure(begin);
  const other = `${folder.path}/other`;
  renameSync(folder.certificates, other);
  await ensure(begin);
  // The key of one, the certificate of the other.
  copyFileSync(join(other, `${name}.key`), join(folder.certificates, `${name}.key`));
  const again = await ensure(begin + days);
  expect(again.server.certificate).not.toBe(made.server.certificate);
  const { certificate, key } = again.server;
  expect(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(new X509Certificate(certificate).verify(new X509Certificate(again.authority).publicKey)).toBe(true);
});

it("are made anew by an authority that is new", async () => {
  await ensure(begin);
  const other = `${folder.path}/other`;
  renameSync(folder.certificates, other);
  const { authority } = await ensure(begin);
  // As if all but the authority were yet to be renewed.
  for (const ending of ["crt", "key"])
    copyFileSync(join(other, `server.${ending}`), join(folder.certificates, `server.${ending}`));
  const { server } = await ensure(begin + days);
  expect(new X509Certificate(server.certificate).verify(new X509Certificate(authority).publicKey)).toBe(true);
});

it.each(["authority.crt", "authority.key", "server.crt"])(
  "are not made anew over a damaged %s",
  async (name) => {
    await ensure(begin);
    const file = join(folder.certificates, name);
    truncateSync(file, 100);
    await expect(ensure(begin)).rejects.toThrow(`${file} is damaged. Put it back, or delete the folder`);
    expect(statSync(file).size).toBe(100);
  },
);

it("let the front proxy be known by an authority that signs nobody else", async () => {
  const { authority, frontProxy, server } = await ensure(begin);
  const front = new X509Certificate(frontProxy.authority);
  const client = new X509Certificate(frontProxy.client.certificate);
  expect(client.subject).toBe(`CN=${frontProxy.name}`);
  expect(client.verify(front.publicKey)).toBe(true);
  expect(client.verify(new X509Certificate(authority).publicKey)).toBe(false);
  expect(new X509Certificate(server.certificate).verify(front.publicKey)).toBe(false);
});

it("keep their keys to the owner", async () => {
  await ensure(begin);
  await writeKubeconfigs({ folder, nodes, server: "https://127.0.0.1:6443" });
  const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  expect(mode(folder.certificates)).toBe("700");
  for (const path of [join(folder.certificates, "authority.key"), folder.kubeconfig])
    expect(mode(path)).toBe("600");
});

it("make kubeconfigs that the client understands, each for its own user", async () => {
  await ensure(begin);
  await writeKubeconfigs({ folder, nodes, server: "https://127.0.0.1:7443" });
  const clock = new VirtualClock({ epoch: begin });
  const config = await loadKubeconfig({ env: {}, clock, path: folder.kubeconfig });
  expect(config.server).toContain("https://127.0.0.1:7443");
  const users = usersOf(nodes).map((user) => {
    const text = readFileSync(kubeconfigOf(folder, user), "utf8");
    const [, data = ""] = /"client-certificate-data": ?"([^"]+)"/u.exec(text) ?? [];
    return /CN=(.*)/u.exec(new X509Certificate(Buffer.from(data, "base64")).subject)?.[1];
  });
  expect(users).toEqual([
    "kubernetes-admin",
    "system:serviceaccount:operator-system:operator-controller-manager",
    "system:node:kedge",
    "kedge:node-services:kedge",
    "system:node:kedge-serving",
    "kedge:node-services:kedge-serving",
  ]);
});

it("say what to do when one is missing", async () => {
  await expect(readServerCertificates(folder)).rejects.toThrow(
    "the certificate authority is missing; run `kedge up`",
  );
});

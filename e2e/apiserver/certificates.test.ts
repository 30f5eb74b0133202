import { X509Certificate } from "node:crypto";
import { createApiServer, type ApiServer } from "@kedge/apiserver";
import { Client, inProcessTransport } from "@kedge/client";
import { addControllers } from "@kedge/controllers";
import { realClock as clock, realRandom as random, silentLogger as logger } from "@kedge/machinery";
import { CertificateSigningRequest } from "@kedge/machinery/kinds/certificates/v1";
import { createAuthority, type Authority } from "@kedge/pki";
import { makeRequest } from "@kedge/pki/testing/make-request";
import { createManager } from "@kedge/runtime";
import { createMemoryStore, type Store } from "@kedge/store";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

let store: Store;
let api: ApiServer;
let authority: Authority;
let admin: Client;
const stopping = new AbortController();
let work: Promise<unknown>;

beforeAll(async () => {
  store = createMemoryStore({ clock });
  api = createApiServer({ store, clock, random });
  await api.start();
  authority = await createAuthority({ name: "ca", clock, random });
  admin = clientOf("admin", ["system:masters"]);
  const client = clientOf("system:kube-controller-manager", ["system:masters"]);
  const manager = createManager({ client, clock, random, logger, name: "controllers", metrics: "none" });
  addControllers(manager, { clock, logger, authority: authority.certificate, signer: authority });
  work = manager.run(stopping.signal);
});

afterAll(async () => {
  stopping.abort();
  await work;
  await api.close();
  await store.close();
});

function clientOf(name: string, groups: readonly string[]): Client {
  const { handle, upgrade } = api.doorFor({ name, groups: [...groups, "system:authenticated"] });
  return new Client(inProcessTransport(handle, upgrade), { clock, random });
}

interface Wish {
  readonly signerName: string;
  readonly usages: string[];
  readonly pem: string;
}

async function ask(client: Client, name: string, { signerName, usages, pem }: Wish): Promise<void> {
  const request = Buffer.from(pem).toString("base64");
  await client
    .of(CertificateSigningRequest)
    .create({ metadata: { name }, spec: { request, signerName, usages } });
}

async function approve(name: string): Promise<void> {
  const found = await admin.of(CertificateSigningRequest).get({ name });
  const conditions = [{ type: "Approved", status: "True", reason: "Test" }];
  await admin.of(CertificateSigningRequest).approval.replace({ ...found, status: { conditions } });
}

async function settled(name: string, isDone: (request: CertificateSigningRequest) => boolean) {
  return await vi.waitFor(
    async () => {
      const found = await admin.of(CertificateSigningRequest).get({ name });
      if (!isDone(found)) throw new Error(`not yet: ${JSON.stringify(found.status)}`);
      return found;
    },
    { timeout: 120_000, interval: 50 },
  );
}

const client = ["digital signature", "client auth"];

it("signs what an admin has approved for a user, and the certificate is good", async () => {
  const pem = await makeRequest({ subject: "O=dev, CN=jane" });
  const wish = { signerName: "kubernetes.io/kube-apiserver-client", usages: client, pem };
  await ask(clientOf("jane", ["system:masters"]), "jane", wish);
  await approve("jane");
  const { status } = await settled("jane", (request) => request.status?.certificate !== undefined);
  const certificate = new X509Certificate(Buffer.from(status?.certificate ?? "", "base64"));
  expect(certificate.subject).toBe("O=dev\nCN=jane");
  expect(certificate.verify(new X509Certificate(authority.certificate).publicKey)).toBe(true);
});

it("approves by itself what a node asks for itself, when it may", async () => {
  const pem = await makeRequest({ subject: "O=system:nodes, CN=system:node:one" });
  const wish = { signerName: "kubernetes.io/kube-apiserver-client-kubelet", usages: client, pem };
  // The group of nodes may renew their own.
  await ask(clientOf("system:node:one", ["system:nodes", "system:masters"]), "node-one", wish);
  const { status } = await settled("node-one", (request) => request.status?.certificate !== undefined);
  expect(status?.conditions).toMatchObject([{ type: "Approved", reason: "AutoApproved" }]);
});

it("says why it does not sign, and signs nothing for others' signers", async () => {
  const pem = await makeRequest({ subject: "O=system:nodes, CN=somebody", dns: ["a.example"] });
  const usages = ["digital signature", "server auth"];
  await ask(admin, "serving", { signerName: "kubernetes.io/kubelet-serving", usages, pem });
  await ask(admin, "other", { signerName: "example.com/own", usages, pem });
  await approve("serving");
  await approve("other");
  const { status } = await settled("serving", (request) => (request.status?.conditions ?? []).length > 1);
  expect(status?.conditions?.[1]).toMatchObject({
    type: "Failed",
    reason: "SignerValidationFailure",
    message: "subject common name does not begin with system:node:",
  });
  const other = await admin.of(CertificateSigningRequest).get({ name: "other" });
  expect(other.status?.certificate).toBeUndefined();
});

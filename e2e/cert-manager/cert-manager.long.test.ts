import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Client } from "@kedge/client";
import { findCondition, messageOf, type Condition, type JsonObject } from "@kedge/machinery";
import {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@kedge/machinery/kinds/admissionregistration/v1";
import { Namespace, Secret } from "@kedge/machinery/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyNoContainers } from "../node/needs.ts";
import { startOracle, type Oracle } from "../real/oracle.ts";
import { startOurServer } from "../real/testing/our-server.ts";
import { until } from "../real/wait.ts";
import { needs } from "../testing/needs.ts";
import { buildCertManager, installChart, namespace } from "./testing/install.ts";
import { runCertManager, type RunningCertManager } from "./testing/run.ts";

/** Building it takes minutes, with both cores busy many. */
const patience = 3_600_000;

// The same on both: what cert-manager does on the real server is what it has to do on ours.
describe.each([
  ["the real API server", {}],
  ["our API server", { server: startOurServer }],
])("the real cert-manager on %s", needs(whyNoContainers()), (_, options) => {
  let oracle: Oracle;
  let client: Client;
  let running: RunningCertManager;
  beforeAll(async () => {
    await buildCertManager();
    oracle = await startOracle(options);
    client = oracle.admin;
    await installChart(oracle);
    running = await runCertManager(oracle);
    await client.of(Namespace).create({ metadata: { name: "shop" } });
  }, patience);
  afterAll(async () => {
    await running?.[Symbol.asyncDispose]();
    await oracle?.stop();
  });

  interface Made extends JsonObject {
    readonly status?: { readonly conditions?: readonly Condition[]; readonly revision?: number };
    readonly spec: JsonObject;
  }
  const at = (name: string) => ({ namespace: "shop", name });
  const of = async (kind: string) =>
    client.of(await client.discovery.kind<Made>({ group: "cert-manager.io", version: "v1", kind }));
  const create = async (kind: string, name: string, spec: JsonObject) =>
    (await of(kind)).create({ metadata: at(name), spec });
  const untilReady = (kind: string, name: string) =>
    until(`the ${kind} ${name} is ready`, async () => {
      await running.throwIfEnded();
      const { status } = await (await of(kind)).get(at(name));
      return findCondition(status?.conditions, "Ready")?.status === "True";
    });
  const bundlesOf = async (name: string): Promise<readonly (string | undefined)[]> => {
    const configurations = [
      await client.of(MutatingWebhookConfiguration).get({ name }),
      await client.of(ValidatingWebhookConfiguration).get({ name }),
    ];
    return configurations
      .flatMap(({ webhooks = [] }) => webhooks)
      .map(({ clientConfig }) => clientConfig.caBundle);
  };
  const keyPair = async (name: string) => {
    const { data = {}, type } = await client.of(Secret).get(at(name));
    const text = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString();
    return {
      type,
      certificate: new X509Certificate(text("tls.crt")),
      authority: new X509Certificate(text("ca.crt")),
      key: createPrivateKey(text("tls.key")),
    };
  };

  it("tells the API server by whose certificate its webhooks are known", async () => {
    const secret = { namespace, name: "cert-manager-webhook-ca" };
    await until("the webhooks have their authority", async () => {
      await running.throwIfEnded();
      return (await bundlesOf("cert-manager-webhook")).every((bundle) => (bundle ?? "") !== "");
    });
    const { data } = await client.of(Secret).get(secret);
    expect(data?.["ca.crt"]).not.toBeUndefined();
    expect(await bundlesOf("cert-manager-webhook")).toEqual([data?.["ca.crt"], data?.["ca.crt"]]);
    // Its own certificate comes a moment later: what an API server says of that moment is the same, too.
    const issuers = await of("Issuer");
    const issuer = { metadata: at("tried"), spec: { selfSigned: {} } };
    await until("the webhooks answer", async () => {
      await running.throwIfEnded();
      const failure = await issuers.create(issuer, { dryRun: true }).then(() => "", messageOf);
      if (failure !== "" && !notYet.test(failure)) throw new Error(failure);
      return failure === "";
    });
  });

  it("issues a certificate by an authority that it has made itself", async () => {
    await create("Issuer", "self-signed", { selfSigned: {} });
    await create("Certificate", "authority", {
      isCA: true,
      commonName: "shop authority",
      secretName: "authority",
      privateKey: { algorithm: "ECDSA", size: 256 },
      issuerRef: { name: "self-signed" },
    });
    await create("Issuer", "shop", { ca: { secretName: "authority" } });
    await create("Certificate", "web", {
      secretName: "web-tls",
      dnsNames: ["web.shop.svc", "*.shop.example.com"],
      ipAddresses: ["192.0.2.7"],
      duration: "2h",
      renewBefore: "1h",
      issuerRef: { name: "shop" },
    });
    await untilReady("Certificate", "web");
    const { type, certificate, authority, key } = await keyPair("web-tls");
    expect(type).toBe("kubernetes.io/tls");
    expect(certificate.checkIssued(authority)).toBe(true);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(authority.raw).toEqual((await keyPair("authority")).certificate.raw);
    expect(authority).toMatchObject({ ca: true, subject: "CN=shop authority" });
    expect(certificate.checkPrivateKey(key)).toBe(true);
    expect(certificate.subjectAltName).toBe("DNS:web.shop.svc, DNS:*.shop.example.com, IP Address:192.0.2.7");
  });

  it("knows who has asked for a certificate: its mutating webhook was told", async () => {
    const requests = await (await of("CertificateRequest")).list({ namespace: "shop" }).all();
    const asked = requests.items.map(({ spec }) => spec["username"]);
    expect(asked).toEqual(Array(2).fill("system:serviceaccount:cert-manager:cert-manager"));
  });

  it("refuses a certificate that says nothing, or what cannot be", async () => {
    const nothing = create("Certificate", "nothing", { secretName: "none", issuerRef: { name: "shop" } });
    await expect(nothing).rejects.toThrow(
      'admission webhook "webhook.cert-manager.io" denied the request: spec: Invalid value: "": at least one of commonName, dnsNames, uris ipAddresses, or emailAddresses must be set',
    );
    const web = { merge: { spec: { renewBefore: "3h" } } };
    await expect((await of("Certificate")).patch(at("web"), web)).rejects.toThrow(
      'admission webhook "webhook.cert-manager.io" denied the request: spec.renewBefore: Invalid value: 3h0m0s: certificate duration 2h0m0s must be greater than renewBefore 3h0m0s',
    );
    await expect(create("Issuer", "none", {})).rejects.toThrow(
      'admission webhook "webhook.cert-manager.io" denied the request: spec: Required value: at least one issuer must be configured',
    );
  });

  it("gives others the authority that they ask for by an annotation", async () => {
    const annotations = { "cert-manager.io/inject-ca-from": "shop/web" };
    await client.of(ValidatingWebhookConfiguration).create({
      metadata: { name: "ours", annotations },
      webhooks: [
        {
          name: "ours.example.com",
          clientConfig: { url: "https://127.0.0.1:1/" },
          rules: [],
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
    const { data } = await client.of(Secret).get(at("web-tls"));
    await expect
      .poll(async () => {
        const { webhooks } = await client.of(ValidatingWebhookConfiguration).get({ name: "ours" });
        return webhooks?.[0]?.clientConfig.caBundle;
      })
      .toBe(data?.["ca.crt"]);
  });

  it("issues it anew when its secret is gone", async () => {
    const before = (await keyPair("web-tls")).certificate;
    await client.of(Secret).delete(at("web-tls"));
    await until("the certificate is issued again", async () => {
      await running.throwIfEnded();
      return (await (await of("Certificate")).get(at("web"))).status?.revision === 2;
    });
    await untilReady("Certificate", "web");
    const { certificate, authority, key } = await keyPair("web-tls");
    expect(certificate.serialNumber).not.toBe(before.serialNumber);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(key)).toBe(true);
  });

  it("was never told that it may not, or that something is not served", async () => {
    expect((await running.logs()).split("\n").filter((line) => complaint.test(line))).toEqual([]);
  });
});

const notYet =
  /^Internal error occurred: failed calling webhook "webhook\.cert-manager\.io": failed to call webhook: Post "https:\/\/cert-manager-webhook\.cert-manager\.svc:443\/(?:mutate|validate)\?timeout=10s": (?:dial tcp [\d.]+:443: connect: connection refused|remote error: tls: internal error|EOF|tls: failed to verify certificate: x509: certificate signed by unknown authority.*)$/u;

const complaint =
  /forbidden|Unauthorized|could not find the requested resource|the server rejected|unable to decode/u;

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import {
  extensionService,
  startExtensionServer,
  type ExtensionServer,
} from "@kedge/apiserver/testing/extension-server";
import { messageOf } from "@kedge/machinery";
import { APIService } from "@kedge/machinery/kinds/apiregistration/v1";
import { ConfigMap, Service } from "@kedge/machinery/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startOracle, type Oracle } from "./oracle.ts";
import { startOurServer } from "./testing/our-server.ts";

const version = "/apis/wardle.example.com/v1";
const flunders = `${version}/namespaces/default/flunders`;
const name = "v1.wardle.example.com";

// The same on both: what the real server has answered is what ours has to answer.
describe.each([
  ["the real API server", {}],
  ["our API server", { server: startOurServer }],
])("a group version of another server, through %s", (_, options) => {
  let oracle: Oracle;
  let extension: ExtensionServer;

  beforeAll(async () => {
    oracle = await startOracle(options);
    const { data = {} } = await oracle.admin
      .of(ConfigMap)
      .get({ namespace: "kube-system", name: "extension-apiserver-authentication" });
    extension = await startExtensionServer({ frontProxyAuthority: data["requestheader-client-ca-file"] });
  });
  afterAll(async () => {
    await oracle?.stop();
    await extension?.[Symbol.asyncDispose]();
  });

  const condition = async () => {
    const { status } = await oracle.admin.of(APIService).get({ name });
    const { reason, message } = status?.conditions?.[0] ?? {};
    return { reason, message: message?.replaceAll(/:\d+/gu, ":PORT") };
  };

  it("tells extension servers whom to believe", async () => {
    const { data = {} } = await oracle.admin
      .of(ConfigMap)
      .get({ namespace: "kube-system", name: "extension-apiserver-authentication" });
    const told = Object.entries(data).map(([key, value]) => [key, value.includes("BEGIN") ? "PEM" : value]);
    expect(Object.fromEntries(told)).toEqual({
      "client-ca-file": "PEM",
      "requestheader-allowed-names": '["front-proxy-client"]',
      "requestheader-client-ca-file": "PEM",
      "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
      "requestheader-group-headers": '["X-Remote-Group"]',
      "requestheader-username-headers": '["X-Remote-User"]',
    });
  });

  it("is not there before its Service is", async () => {
    await oracle.admin.of(APIService).create({
      metadata: { name },
      spec: {
        group: "wardle.example.com",
        version: "v1",
        groupPriorityMinimum: 2000,
        versionPriority: 10,
        service: { ...extensionService, port: extension.port },
        caBundle: extension.authority,
      },
    });
    await expect
      .poll(() => condition())
      .toEqual({ reason: "ServiceNotFound", message: 'service/wardle in "default" is not present' });
    expect(await raw(flunders)).toMatchObject({ status: 503, body: "service unavailable\n" });
  });

  it("is available when it answers", async () => {
    await oracle.admin
      .of(Service)
      .create({ metadata: extensionService, spec: { type: "ExternalName", externalName: "localhost" } });
    await expect.poll(() => condition()).toEqual({ reason: "Passed", message: "all checks passed" });
    await expect.poll(async () => (await raw(flunders)).status).toBe(200);
  });

  it("is told who asks, with the same headers", async () => {
    const headers = { "x-remote-user": "root", "x-remote-extra-a": "b", "x-own": "kept", "audit-id": "1" };
    await raw(`${flunders}?limit=5`, headers);
    const seen = extension.seen.at(-1);
    expect({ ...seen, headers: comparable(seen?.headers ?? {}) }).toEqual({
      method: "GET",
      path: `${flunders}?limit=5`,
      by: "front-proxy-client",
      headers: {
        "audit-id": "1",
        "x-own": "kept",
        "x-remote-extra-authentication.kubernetes.io%2fcredential-id": "X509SHA256",
        "x-remote-group": "system:masters, system:authenticated",
        "x-remote-user": "kubernetes-admin",
        "x-forwarded-for": "127.0.0.1",
        "x-forwarded-host": "localhost:PORT",
        "x-forwarded-proto": "https",
        "x-forwarded-uri": flunders,
      },
    });
  });

  it("is in discovery and in OpenAPI", async () => {
    const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const found = async () => {
      const { body } = await raw("/apis", { accept: aggregated });
      const { items } = JSON.parse(body) as { items: readonly { metadata: { name: string } }[] };
      return items.find(({ metadata }) => metadata.name === "wardle.example.com");
    };
    await expect.poll(found).toMatchObject({
      versions: [{ version: "v1", freshness: "Current", resources: [{ resource: "flunders" }] }],
    });
    const { body } = await raw("/apis");
    const { groups } = JSON.parse(body) as { groups: readonly { name: string }[] };
    expect(groups.at(-1)).toEqual({
      name: "wardle.example.com",
      versions: [{ groupVersion: "wardle.example.com/v1", version: "v1" }],
      preferredVersion: { groupVersion: "wardle.example.com/v1", version: "v1" },
    });
    const index = async () => (await raw("/openapi/v3")).body;
    await expect.poll(index).toContain('"/openapi/v3/apis/wardle.example.com/v1?hash=A"');
    expect((await raw("/openapi/v3/apis/wardle.example.com/v1?hash=A")).body).toContain('"title":"wardle"');
  });

  it("passes on what it answers, and not where it sends its clients", async () => {
    extension.behaviours.set(flunders, (_request, response) => {
      response.writeHead(418, {
        "content-type": "text/plain",
        "x-own": "yes",
        "access-control-allow-origin": "*",
      });
      response.end("short and stout");
    });
    expect(await raw(flunders)).toEqual({
      status: 418,
      type: "text/plain",
      own: "yes",
      cors: undefined,
      body: "short and stout",
    });
    extension.behaviours.set(flunders, (_request, response) => {
      response.writeHead(302, { location: "https://127.0.0.1/" }).end();
    });
    expect(await raw(flunders)).toMatchObject({
      status: 502,
      body: "the backend attempted to redirect this request, which is not permitted",
    });
    extension.behaviours.set(flunders, (request) => void request.socket.destroy());
    expect(await raw(flunders)).toMatchObject({
      status: 503,
      body: expect.stringMatching(/^error trying to reach service: /u) as unknown,
    });
    extension.behaviours.clear();
  });

  it("refuses what is wrong in the same words", async () => {
    const spec = { group: "b.example.com", version: "v1", groupPriorityMinimum: 2000, versionPriority: 10 };
    const service = { namespace: "", name: "", port: 0 };
    const caBundle = Buffer.from("none").toString("base64");
    const wrong = { ...spec, service, insecureSkipTLSVerify: true, caBundle };
    const said = oracle.admin.of(APIService).create({ metadata: { name: "v1.b.example.com" }, spec: wrong });
    expect(await said.then(() => "created", messageOf)).toBe(
      'APIService.apiregistration.k8s.io "v1.b.example.com" is invalid: [spec.service.namespace: Required value, spec.service.name: Required value, spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive, spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present]',
    );
  });

  it("says why it is gone", async () => {
    await extension[Symbol.asyncDispose]();
    await oracle.admin
      .of(Service)
      .patch(extensionService, { merge: { metadata: { labels: { touched: "yes" } } } });
    await expect
      .poll(() => condition(), { timeout: 60_000 })
      .toEqual({
        reason: "FailedDiscoveryCheck",
        message: expect.stringMatching(
          /^failing or missing response from https:\/\/localhost:PORT\/apis\/wardle\.example\.com\/v1: Get "https:\/\/localhost:PORT\/apis\/wardle\.example\.com\/v1": dial tcp .*:PORT: connect: connection refused$/u,
        ) as unknown,
      });
    expect(await raw(flunders)).toMatchObject({ status: 503, body: "service unavailable\n" });
  });

  async function raw(path: string, headers: Readonly<Record<string, string>> = {}) {
    const { server, trust, credentials } = oracle.adminConfig;
    const { clientCertificate } = await credentials.current();
    const sent = httpsRequest(`${server}${path}`, {
      headers,
      ca: trust.ca,
      cert: clientCertificate?.certificate,
      key: clientCertificate?.key,
      agent: false,
    });
    sent.end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    const { "content-type": type, "x-own": own, "access-control-allow-origin": cors } = answer.headers;
    return { status: answer.statusCode, type, own, cors, body: await text(answer) };
  }
});

/** What does not depend on the connection. */
function comparable(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const own = new Set(["host", "connection", "user-agent", "accept-encoding", "transfer-encoding"]);
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([key]) => !own.has(key))
      .map(([key, value]) => [key, String(value).replace(/:\d+$/u, ":PORT").replace(/=.*/u, "")]),
  );
}

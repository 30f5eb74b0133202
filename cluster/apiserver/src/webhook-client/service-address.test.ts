import { seededRandom } from "@kedge/machinery";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startServer, type TestServer } from "../testing/start-server.ts";
import { serviceAddress, type Address } from "./service-address.ts";

let server: TestServer;

beforeEach(async () => {
  server = await startServer();
  await create("/api/v1/namespaces/default/services", {
    metadata: { name: "web" },
    spec: {
      ports: [
        { name: "https", port: 443, targetPort: 8443 },
        { name: "other", port: 80 },
      ],
    },
  });
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
});

async function create(path: string, body: unknown): Promise<void> {
  const { status, body: answer } = await server.ask("POST", path, body);
  expect([status, answer.message]).toEqual([201, undefined]);
}

function address(name = "web", port = 443): Address {
  return serviceAddress(server.api.objects, { namespace: "default", name, port }, seededRandom(1));
}

test("a service is asked at a ready endpoint, by the port that its own leads to", async () => {
  await create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
    metadata: { name: "web-1", labels: { "kubernetes.io/service-name": "web" } },
    addressType: "IPv4",
    ports: [
      { name: "other", port: 80 },
      { name: "https", port: 8443 },
    ],
    endpoints: [
      { addresses: ["10.0.0.1"], conditions: { ready: false } },
      { addresses: ["10.0.0.2"], conditions: { ready: true } },
    ],
  });
  expect(address()).toEqual({ host: "10.0.0.2", port: 8443 });
});

test("a service of another name is where that name leads", async () => {
  await create("/api/v1/namespaces/default/services", {
    metadata: { name: "away" },
    spec: { type: "ExternalName", externalName: "hooks.example.com" },
  });
  expect(address("away", 9443)).toEqual({ host: "hooks.example.com", port: 9443 });
});

test("what cannot be reached says why", () => {
  expect(() => address("none")).toThrow('service "none" not found');
  expect(() => address("web", 444)).toThrow('no service port 444 found for service "web"');
  expect(() => address()).toThrow('no endpoints available for service "web"');
});

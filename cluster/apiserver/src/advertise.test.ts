import { VirtualClock } from "@kedge/machinery";
import { createMemoryStore } from "@kedge/store";
import { expect, it } from "vitest";
import { startServer } from "./testing/start-server.ts";

const endpoints = "/api/v1/namespaces/default/endpoints/kubernetes";
const slice = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";

it("leads the service `kubernetes` to where the server is now", async () => {
  const clock = new VirtualClock();
  const store = createMemoryStore({ clock });
  const first = await startServer({ clock, store, advertiseAddress: "10.244.0.1", serverPort: 6443 });
  expect((await first.ask("GET", slice)).body).toMatchObject({
    metadata: { labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.244.0.1"], conditions: { ready: true } }],
    ports: [{ name: "https", port: 6443, protocol: "TCP" }],
  });
  await first.api.close();

  const second = await startServer({ clock, store, advertiseAddress: "10.244.255.1", serverPort: 7443 });
  const { body } = await second.ask("GET", slice);
  expect(body).toMatchObject({
    endpoints: [{ addresses: ["10.244.255.1"] }],
    ports: [{ name: "https", port: 7443 }],
  });
  expect((await second.ask("GET", endpoints)).body).toMatchObject({
    subsets: [{ addresses: [{ ip: "10.244.255.1" }], ports: [{ name: "https", port: 7443 }] }],
  });
  await second.api.close();

  await using third = await startServer({ clock, store, advertiseAddress: "10.244.255.1", serverPort: 7443 });
  expect((await third.ask("GET", slice)).body, "nothing is written where nothing has changed").toEqual(body);
});

it("leads it nowhere when nobody says where it is", async () => {
  await using server = await startServer();
  expect((await server.ask("GET", slice)).status).toBe(404);
});

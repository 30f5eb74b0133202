import { Deployment } from "@kedge/machinery/kinds/apps/v1";
import { Endpoints, Pod, Service } from "@kedge/machinery/kinds/core/v1";
import { EndpointSlice } from "@kedge/machinery/kinds/discovery/v1";
import { startTestEnv, type TestEnv } from "@kedge/testkit";
import { expect, it } from "vitest";

const namespace = "default";
const web = { namespace, name: "web" };
const labels = { app: "web" };
const ports = [{ name: "http", port: 80, targetPort: 8080 }];

it("a service has Endpoints with its pods' addresses, which go with it", async () => {
  await using env = await startTestEnv();
  await env.create(Service, { metadata: web, spec: { selector: labels, ports } });
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "main:1" }] } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  await env.create(Deployment, { metadata: web, spec });
  const { subsets } = await env.eventually(
    Endpoints,
    web,
    (one) => one.subsets?.[0]?.addresses?.length === 2,
  );
  const { items } = await env.run(env.client.of(Pod).list({ namespace }).all());
  const addresses = items.map(({ status }) => status?.podIP ?? "");
  expect(subsets?.[0]?.addresses?.map(({ ip }) => ip)).toEqual(addresses.toSorted());
  expect(subsets?.[0]?.ports).toEqual([{ name: "http", port: 8080, protocol: "TCP" }]);

  await env.run(env.client.of(Deployment).patch(web, { merge: { spec: { replicas: 1 } } }));
  await env.eventually(Endpoints, web, (one) => one.subsets?.[0]?.addresses?.length === 1);
  await env.run(env.client.of(Service).delete(web));
  await env.eventuallyGone(Endpoints, web);
});

it("endpoints that a person writes for a service without a selector are mirrored in slices", async () => {
  await using env = await startTestEnv({ node: false });
  const slices = async (): Promise<readonly EndpointSlice[]> => {
    await env.advance(5_000);
    return (
      await env.run(
        env.client
          .of(EndpointSlice)
          .list({ namespace, labelSelector: "kubernetes.io/service-name=web" })
          .all(),
      )
    ).items;
  };
  // Before the service, as a file may have it.
  const subsets = [{ addresses: [{ ip: "192.0.2.7" }], ports: [{ name: "http", port: 8080 }] }];
  await env.create(Endpoints, { metadata: web, subsets });
  expect(await slices()).toEqual([]);
  await env.create(Service, { metadata: web, spec: { ports } });
  const [slice] = await slices();
  expect(slice).toMatchObject({
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.7"], conditions: { ready: true } }],
  });

  await change(env, [{ addresses: [{ ip: "192.0.2.8" }], ports: [{ name: "http", port: 8080 }] }]);
  expect(
    (await slices()).map(({ metadata, endpoints }) => [metadata.name, endpoints?.[0]?.addresses]),
  ).toEqual([[slice?.metadata.name, ["192.0.2.8"]]]);
  // A selector takes over.
  await env.run(env.client.of(Service).patch(web, { merge: { spec: { selector: labels } } }));
  const left = await slices();
  expect(left.map(({ metadata }) => metadata.labels?.["endpointslice.kubernetes.io/managed-by"])).toEqual([
    "endpointslice-controller.k8s.io",
  ]);
  expect((await env.run(env.client.of(Endpoints).get(web))).subsets ?? []).toEqual([]);
});

async function change(env: TestEnv, subsets: NonNullable<Endpoints["subsets"]>): Promise<void> {
  await env.run(env.client.of(Endpoints).patch(web, { merge: { subsets } }));
}

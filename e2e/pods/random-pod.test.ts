import { createApiServer } from "@kedge/apiserver";
import { Client, inProcessTransport } from "@kedge/client";
import { messageOf, seededRandom, VirtualClock } from "@kedge/machinery";
import { Namespace, Pod, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { createMemoryStore } from "@kedge/store";
import { expect, it } from "vitest";
import { Chooser } from "../fuzz/chooser.ts";
import { randomPod } from "./random-pod.ts";

it("the API server takes all of 500 random pods: what is wrong with them only the node can tell", async () => {
  const clock = new VirtualClock();
  const random = seededRandom("server");
  const api = createApiServer({ store: createMemoryStore({ clock }), clock, random });
  await clock.runUntil(api.start());
  const user = { name: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] };
  const { handle, upgrade } = api.doorFor(user);
  const client = new Client(inProcessTransport(handle, upgrade), { clock, random });
  const namespace = "default";
  await clock.runUntil(
    client
      .of(Namespace)
      .create({ metadata: { name: namespace } })
      .catch(() => undefined),
  );
  await clock.runUntil(client.of(ServiceAccount).create({ metadata: { namespace, name: "default" } }));
  const choose = new Chooser(seededRandom("pods"), 0);
  const sources = { hostFolder: "/tmp/somewhere", claims: ["claim-a"] };
  const refusals: string[] = [];
  for (let number = 0; number < 500; number++) {
    const pod = { metadata: { namespace, name: `random-${number}` }, spec: randomPod(choose, sources) };
    await clock.runUntil(
      client
        .of(Pod)
        .create(pod)
        .catch((error: unknown) => refusals.push(messageOf(error))),
    );
  }
  expect(refusals).toEqual([]);
  await api.close();
});

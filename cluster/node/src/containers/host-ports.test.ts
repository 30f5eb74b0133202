import { expect, it } from "vitest";
import { podOf } from "../testing/pods.ts";
import { hostPortsOf } from "./host-ports.ts";

const web = {
  name: "web",
  image: "i",
  ports: [{ containerPort: 80, hostPort: 8080 }, { containerPort: 81 }],
};

it("are those of containers and sidecars, not of other init containers", () => {
  const sidecar = {
    name: "side",
    image: "i",
    restartPolicy: "Always",
    ports: [{ containerPort: 53, hostPort: 5353, protocol: "UDP", hostIP: "192.0.2.1" }],
  };
  const init = { name: "init", image: "i", ports: [{ containerPort: 1, hostPort: 1 }] };
  const pod = podOf({ spec: { containers: [web], initContainers: [sidecar, init] } });
  expect(hostPortsOf(pod)).toEqual([
    { protocol: "udp", port: 5353, containerPort: 53, address: "192.0.2.1" },
    { protocol: "tcp", port: 8080, containerPort: 80 },
  ]);
});

it("of a pod on the node's own network are its own business", () => {
  expect(hostPortsOf(podOf({ spec: { hostNetwork: true, containers: [web] } }))).toEqual([]);
});

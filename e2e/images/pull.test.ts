import { buildImage, type TestEntry } from "@kedge/node/testing/oci-image";
import { startTestRegistry, type TestRegistry } from "@kedge/node/testing/oci-registry";
import { Node, Secret, ServiceAccount } from "@kedge/machinery/kinds/core/v1";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { whyNoContainers } from "../node/needs.ts";
import { needs } from "../testing/needs.ts";
import { startImageCluster, type ImageCluster } from "./testing/image-cluster.ts";

describe("an image of a registry", needs(whyNoContainers()), () => {
  let cluster: ImageCluster;
  let open: TestRegistry;
  let closed: TestRegistry;
  const imageSaying = (text: string) => {
    const busybox: TestEntry = { name: "bin/busybox", content: cluster.busybox, mode: 0o755 };
    const script = `echo ${text} > /dev/termination-log`;
    const { architecture } = cluster;
    return buildImage({
      layers: [[busybox]],
      architecture,
      config: { Cmd: ["/bin/busybox", "sh", "-c", script] },
    });
  };
  beforeAll(async () => {
    cluster = await startImageCluster();
    open = await startTestRegistry();
    closed = await startTestRegistry({ users: { bob: "secret" } });
  });
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    await open[Symbol.asyncDispose]();
    await closed[Symbol.asyncDispose]();
  });

  const statusOf = async (name: string) => (await cluster.pod(name)).status?.containerStatuses?.[0];
  const said = async (name: string) => (await statusOf(name))?.state?.terminated?.message;
  const waits = async (name: string) => (await statusOf(name))?.state?.waiting;

  it("is pulled, run, and shown with the digest that the registry has", async () => {
    const image = imageSaying("one");
    open.push("team/app", "1", image);
    const name = `${open.host}/team/app:1`;
    await cluster.run("pulled", { containers: [{ name: "app", image: name }] });
    await expect.poll(() => said("pulled")).toBe("one\n");
    expect((await statusOf("pulled"))?.imageID).toBe(`${open.host}/team/app@${image.digest}`);
    await expect
      .poll(() => cluster.events("pulled"))
      .toEqual(
        expect.arrayContaining([
          `Pulling: Pulling image "${name}"`,
          expect.stringMatching(
            /^Pulled: Successfully pulled image .* in .*s \(.*s including waiting\)\. Image size: \d+ bytes\./u,
          ),
        ]),
      );
    const told = async () => {
      const { status } = await cluster.client.of(Node).get({ name: "node-1" });
      return (status?.images ?? []).flatMap(({ names = [] }) => names);
    };
    await expect.poll(told).toEqual([name, `${open.host}/team/app@${image.digest}`]);
    // By digest it is here already.
    await cluster.run("by-digest", {
      containers: [{ name: "app", image: `${open.host}/team/app@${image.digest}` }],
    });
    await expect.poll(() => said("by-digest")).toBe("one\n");
    expect(await cluster.events("by-digest")).not.toContainEqual(expect.stringMatching(/^Pulling/u));
  });

  it("is asked for again by Always, and not by IfNotPresent", async () => {
    open.push("team/moving", "1", imageSaying("old"));
    const image = `${open.host}/team/moving:1`;
    await cluster.run("first", { containers: [{ name: "app", image }] });
    await expect.poll(() => said("first")).toBe("old\n");
    open.push("team/moving", "1", imageSaying("new"));
    await cluster.run("present", { containers: [{ name: "app", image, imagePullPolicy: "IfNotPresent" }] });
    await expect.poll(() => said("present")).toBe("old\n");
    await cluster.run("always", { containers: [{ name: "app", image, imagePullPolicy: "Always" }] });
    await expect.poll(() => said("always")).toBe("new\n");
  });

  it("is refused without a secret, with the way out, and pulled with the service account's", async () => {
    closed.push("team/private", "1", imageSaying("private"));
    const image = `${closed.host}/team/private:1`;
    await cluster.run("stranger", {
      containers: [{ name: "app", image }],
      imagePullSecrets: [{ name: "missing" }],
    });
    await expect
      .poll(() => waits("stranger"))
      .toMatchObject({
        message: expect.stringMatching(/answered 401.*imagePullSecrets.*kedge image load/u) as string,
      });
    await expect.poll(async () => (await waits("stranger"))?.reason).toBe("ImagePullBackOff");
    expect(await cluster.events("stranger")).toContainEqual(
      "FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (missing); attempting to pull the image may not succeed.",
    );
    const auths = { [closed.host]: { username: "bob", password: "secret" } };
    await cluster.client.of(Secret).create({
      metadata: { namespace: "default", name: "registry" },
      type: "kubernetes.io/dockerconfigjson",
      data: { ".dockerconfigjson": Buffer.from(JSON.stringify({ auths })).toString("base64") },
    });
    await cluster.client.of(ServiceAccount).create({
      metadata: { namespace: "default", name: "puller" },
      imagePullSecrets: [{ name: "registry" }],
    });
    await cluster.run("known", { containers: [{ name: "app", image }], serviceAccountName: "puller" });
    await expect.poll(() => said("known")).toBe("private\n");
    for (const event of await cluster.events("known")) expect(event).not.toContain("secret\n");
  });

  it.each([
    [
      "nowhere",
      "localhost:1/team/app:1",
      /cannot be reached.*kedge image load FILE\.tar --name localhost:1\/team\/app:1/u,
    ],
  ])("that is %s says so", async (name, image, message) => {
    await cluster.run(name, { containers: [{ name: "app", image }] });
    await expect.poll(() => waits(name)).toMatchObject({ message: expect.stringMatching(message) as string });
  });

  it("whose name is none is InvalidImageName", async () => {
    await cluster.run("no-name", { containers: [{ name: "app", image: "Not A Name" }] });
    await expect
      .poll(() => waits("no-name"))
      .toEqual({
        reason: "InvalidImageName",
        message:
          'Failed to apply default image tag "Not A Name": couldn\'t parse image name "Not A Name": invalid reference format',
      });
  });
});

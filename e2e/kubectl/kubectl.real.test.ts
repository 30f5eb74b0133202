import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { clientCommand } from "@kedge/redis-operator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { upCluster, type TestCluster } from "../cluster/testing/up-cluster.ts";
import { whyNoContainers } from "../node/needs.ts";
import { programPath } from "../real/programs.ts";
import { kubectlFor, type Kubectl } from "./testing/kubectl.ts";
import { crashManifest, operatorManifest, waitingManifest, webManifest } from "./testing/manifests.ts";
import { readTable, readWatch } from "./testing/table.ts";
import { needs } from "../testing/needs.ts";

const program = programPath("kubectl");
const missing =
  whyNoContainers() ??
  (existsSync(program) ? undefined : "the real kubectl is not built: `kedge test real` does it");

describe("the real kubectl on the embedded cluster", needs(missing), () => {
  let cluster: TestCluster;
  let kubectl: Kubectl;
  beforeAll(async () => {
    cluster = await upCluster({ flags: ["--no-sample"] });
    kubectl = kubectlFor({
      program,
      kubeconfig: join(cluster.dir, "kubeconfig"),
      home: dirname(cluster.dir),
    });
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  it("applies several documents, changes one, and says what is unchanged", async () => {
    expect(await kubectl.ok("apply -f -", webManifest)).toBe(
      "configmap/greeting created\nservice/web created\ndeployment.apps/web created\n",
    );
    expect(await kubectl.ok("apply -f -", webManifest.replace("text: hello", "text: good morning"))).toBe(
      "configmap/greeting configured\nservice/web unchanged\ndeployment.apps/web unchanged\n",
    );
    expect(await kubectl.ok("get configmap greeting -o jsonpath={.data.text}")).toBe("good morning");
    expect((await kubectl.run("diff -f -", webManifest)).stdout).toContain("-  text: good morning");
  });

  it("shows a rollout, and scales", async () => {
    const said = await kubectl.ok("rollout status deployment/web --timeout=40s");
    expect(said).toMatch(/deployment "web" successfully rolled out\n$/u);
    expect(await kubectl.ok("scale deployment/web --replicas=3")).toBe("deployment.apps/web scaled\n");
    await kubectl.ok("wait deployment/web --for=jsonpath={.status.readyReplicas}=3 --timeout=40s");
    expect(await kubectl.ok("set env deployment/web COLOUR=red")).toBe("deployment.apps/web env updated\n");
    await kubectl.ok("rollout status deployment/web --timeout=40s");
    expect(await kubectl.ok("rollout history deployment/web")).toBe(
      "deployment.apps/web \nREVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n\n",
    );
    const described = await kubectl.ok("describe deployment web");
    expect(described).toContain(
      "Replicas:               3 desired | 3 updated | 3 total | 3 available | 0 un",
    );
    expect(described).toMatch(/ScalingReplicaSet +\S+ +deployment-controller +Scaled up replica set web-/u);
    expect(described).not.toContain("from 0 to 0");
  });

  it("prints tables as on any cluster", async () => {
    expect(readTable(await kubectl.ok("get deployments -o wide"))).toEqual({
      titles: ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"],
      rows: [["web", "3/3", "3", "3", "<age>", "echo", "kedge.dev/echo:1", "app=web"]],
    });
    // The old pods may still be on their way out.
    await kubectl.ok(
      "wait pods -l app=web --for=jsonpath={.spec.containers[0].env[1].name}=COLOUR --timeout=30s",
    );
    const wide = readTable(await kubectl.ok("get pods -l app=web -o wide"));
    expect(wide.titles).toEqual([
      "NAME",
      "READY",
      "STATUS",
      "RESTARTS",
      "AGE",
      "IP",
      "NODE",
      "NOMINATED NODE",
      "READINESS GATES",
    ]);
    expect(wide.rows).toContainEqual([
      "web-<hash>-<id>",
      "1/1",
      "Running",
      "0",
      "<age>",
      "<ip>",
      "kedge",
      "<none>",
      "<none>",
    ]);
    expect(readTable(await kubectl.ok("get services -A -l app=web"))).toEqual({
      titles: ["NAMESPACE", "NAME", "TYPE", "CLUSTER-IP", "EXTERNAL-IP", "PORT(S)", "AGE"],
      rows: [["default", "web", "ClusterIP", "<ip>", "<none>", "80/TCP", "<age>"]],
    });
    expect(readTable(await kubectl.ok("get nodes"))).toEqual({
      titles: ["NAME", "STATUS", "ROLES", "AGE", "VERSION"],
      rows: [["kedge", "Ready", "<none>", "<age>", expect.stringMatching(/^v1\.36\./u)]],
    });
    expect(await kubectl.ok("get statefulsets")).toBe("");
    expect((await kubectl.run("get statefulsets")).stderr).toBe("No resources found in default namespace.\n");
  });

  it("applies on the server, and tells whose fields are in the way", async () => {
    const conflict = await kubectl.refused("apply --server-side -f -", webManifest);
    expect(conflict).toContain(
      'error: Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
    );
    expect(await kubectl.ok("apply --server-side --force-conflicts -f -", webManifest)).toBe(
      "configmap/greeting serverside-applied\nservice/web serverside-applied\ndeployment.apps/web serverside-applied\n",
    );
    expect(await kubectl.ok("get deployment web -o jsonpath={.spec.replicas}")).toBe("2");
  });

  it("deletes, and waits until it is gone", async () => {
    expect(await kubectl.ok("delete -f -", webManifest)).toBe(
      [
        'configmap "greeting" deleted from default namespace',
        'service "web" deleted from default namespace',
        'deployment.apps "web" deleted from default namespace',
        "",
      ].join("\n"),
    );
    expect(await kubectl.refused("get deployment web")).toBe(
      'Error from server (NotFound): deployments.apps "web" not found\n',
    );
    await kubectl.ok("wait pods -l app=web --for=delete --timeout=30s");
  });

  it("watches a pod come, crash and go", async () => {
    await kubectl.ok("apply -f -", waitingManifest);
    await using watch = kubectl.follow("get pods -w");
    await watch.until((output) => output.includes("waits"));
    await kubectl.ok("apply -f -", crashManifest);
    await watch.until((output) => /crashes +2\/2 +Running +1 \(/u.test(output));
    await kubectl.ok("delete pod crashes");
    const seen = await watch.until((output) => output.includes("Terminating"));
    const [titles, ...rows] = readWatch(seen);
    expect(titles).toEqual(["NAME", "READY", "STATUS", "RESTARTS", "AGE"]);
    expect(rows[0]).toEqual(["waits", "0/1", "Pending", "0", "<age>"]);
    const states = rows.filter(([name]) => name === "crashes").map((row) => row.slice(1, 4).join(" "));
    expect(states[0]).toBe("0/2 Pending 0");
    expect(states).toContain("0/2 ContainerCreating 0");
    expect(states).toContain("2/2 Running 1 (<age> ago)");
    expect(states).toContain("2/2 Terminating 1 (<age> ago)");
    expect(await kubectl.ok("describe pod waits")).toMatch(
      /Warning +FailedScheduling +\S+ +default-scheduler +0\/1 nodes are available: /u,
    );
    await kubectl.ok("delete pod waits");
  });

  it("shows logs: of one container, the last lines, of the run before, and as they come", async () => {
    await kubectl.ok("apply -f -", crashManifest);
    const restarts = "{.status.containerStatuses[0].restartCount}=1";
    await kubectl.ok(`wait pod/crashes --for=jsonpath=${restarts} --timeout=30s`);
    await kubectl.ok("wait pod/crashes --for=condition=Ready --timeout=30s");
    expect(await kubectl.ok("logs crashes -c once")).toBe("again\n");
    expect(await kubectl.ok("logs crashes -c once --previous")).toBe("first\n");
    expect(await kubectl.ok("logs crashes -c side --tail=2")).toBe("line 4\nline 5\n");
    // kubectl asks for containers in the order of a Go map, which has none.
    const ofAll = await kubectl.ok("logs crashes --all-containers --prefix --tail=1");
    expect(ofAll.split("\n").toSorted()).toEqual([
      "",
      "[pod/crashes/once] again",
      "[pod/crashes/side] line 5",
    ]);
    await using follow = kubectl.follow("logs -f crashes -c side --tail=1");
    await follow.until((output) => output === "line 5\n");
    await kubectl.ok(["exec", "crashes", "-c", "side", "--", "sh", "-c", "echo news > /proc/1/fd/1"]);
    await follow.until((output) => output === "line 5\nnews\n");
    expect(await kubectl.refused("logs crashes -c nosuch")).toBe(
      "error: container nosuch is not valid for pod crashes out of: once, side\n",
    );
    expect(await kubectl.refused("logs crashes -c side --previous")).toBe(
      'Error from server (BadRequest): previous terminated container "side" in pod "crashes" not found\n',
    );
  });

  it("runs commands in containers, with input, output, errors and exit codes", async () => {
    const script = ["exec", "crashes", "-c", "side", "--", "sh", "-c", "echo out; echo err >&2; exit 9"];
    expect(await kubectl.run(script)).toEqual({
      code: 9,
      stdout: "out\n",
      stderr: "err\ncommand terminated with exit code 9\n",
    });
    expect(await kubectl.ok("exec -i crashes -c side -- wc -c", "x".repeat(100_000))).toBe("100000\n");
    expect((await kubectl.run("exec crashes -- true")).stderr).toBe(
      'Defaulted container "once" out of: once, side\n',
    );
    expect(await kubectl.refused("exec nosuch -- true")).toBe(
      'Error from server (NotFound): pods "nosuch" not found\n',
    );
  });

  it("describes a pod with its last state and its events", async () => {
    const said = await kubectl.ok("describe pod crashes");
    const parts = [
      /^Name: +crashes\nNamespace: +default\nPriority: +0\nService Account: +default\nNode: +kedge\//u,
      /\nLabels: +app=crash\nAnnotations: +<none>\nStatus: +Running\nIP: +10\./u,
      / {4}Last State: +Terminated\n {6}Reason: +Error\n {6}Exit Code: +7\n/u,
      / {4}Ready: +True\n {4}Restart Count: +1\n {4}Environment: +<none>\n/u,
      /\nQoS Class: +BestEffort\n/u,
      /Events:\n +Type +Reason +Age +From +Message\n/u,
      /Normal +Scheduled +\S+ +default-scheduler +Successfully assigned default\/crashes to kedge\n/u,
      /Normal +Started .*kubelet +spec\.containers\{once\}: Container started\n/u,
    ];
    for (const part of parts) expect(said).toMatch(part);
  });

  it("means the new pod of a name, also while the old one still goes", async () => {
    await kubectl.ok("delete pod crashes --grace-period=0 --force");
    await kubectl.ok("apply -f -", crashManifest);
    await kubectl.ok("wait pod/crashes --for=condition=Ready --timeout=30s");
    expect(await kubectl.ok("exec crashes -c side -- hostname")).toBe("crashes\n");
    expect(await kubectl.ok("logs crashes -c side --tail=1")).toBe("line 5\n");
    expect(await kubectl.ok("delete pod crashes")).toBe('pod "crashes" deleted from default namespace\n');
  });

  it("works with RedisInstances and Applications as with any kind", async () => {
    expect(await kubectl.ok("apply -f -", operatorManifest)).toBe(
      "redisinstance.redis.github.com/cache created\napplication.apps.example.com/hello created\n",
    );
    expect(await kubectl.ok("wait ri/cache --for=condition=Ready --timeout=50s")).toBe(
      "redisinstance.redis.github.com/cache condition met\n",
    );
    await kubectl.ok("wait app/hello --for=jsonpath={.status.phase}=Running --timeout=50s");
    expect(await kubectl.ok("apply -f -", operatorManifest)).toBe(
      "redisinstance.redis.github.com/cache unchanged\napplication.apps.example.com/hello unchanged\n",
    );
    // Ready as its pods are: its version comes with what the primary says next.
    const instances = async () => readTable(await kubectl.ok("get redisinstances"));
    await expect.poll(instances).toEqual({
      titles: ["NAME", "STATUS", "READY", "PRIMARY", "VERSION", "AGE"],
      rows: [["cache", "Running", "2/2", "cache-0", "redis 7.0.15", "<age>"]],
    });
    expect(readTable(await kubectl.ok("get applications -o wide"))).toEqual({
      titles: ["NAME", "PHASE", "READY", "IMAGE", "MESSAGE", "AGE"],
      rows: [["hello", "Running", "2/2", "kedge.dev/echo:1", "2 of 2 pods are ready.", "<age>"]],
    });
    expect(readTable(await kubectl.ok("get statefulsets -o wide"))).toEqual({
      titles: ["NAME", "READY", "AGE", "CONTAINERS", "IMAGES"],
      rows: [["cache", "2/2", "<age>", "redis", "redis:7.0"]],
    });
    expect(readTable(await kubectl.ok("get pvc")).rows).toEqual(
      [0, 1].map((ordinal) => [
        `redis-data-cache-${ordinal}`,
        "Bound",
        "<volume>",
        "1Gi",
        "RWO",
        "local-path",
        "<unset>",
        "<age>",
      ]),
    );
    const object = parse(await kubectl.ok("get ri cache -o yaml")) as Record<string, unknown>;
    expect(object).toMatchObject({
      apiVersion: "redis.github.com/v1",
      kind: "RedisInstance",
      metadata: { name: "cache", namespace: "default", generation: 1 },
      spec: { image: "redis:7.0", replicas: 2 },
      status: { status: "Running", readyReplicas: "2/2" },
    });
    expect(await kubectl.ok(`exec cache-0 -c redis -- ${clientCommand("ping").join(" ")}`)).toBe("PONG\n");
    expect(await kubectl.ok("logs cache-0 -c redis")).toContain("Ready to accept connections");
  });

  it("describes what the operators and controllers did", async () => {
    expect(await kubectl.ok("describe redisinstance cache")).toMatch(
      /Normal +Running +\S+ +kedge-operator +2 of 2 pods are ready\.\n/u,
    );
    const set = await kubectl.ok("describe statefulset cache");
    expect(set).toContain("Replicas:           2 desired | 2 total\n");
    expect(set).toContain("Pods Status:        2 Running / 0 Waiting / 0 Succeeded / 0 Failed\n");
    expect(set).toMatch(
      /SuccessfulCreate +\S+ +statefulset-controller +Create Pod cache-0 in StatefulSet cache successful\n/u,
    );
    expect(await kubectl.ok("describe application hello")).toContain("Phase:                   Running\n");
  });

  it("scales and deletes them", async () => {
    expect(await kubectl.ok("scale redisinstance/cache --replicas=1")).toBe(
      "redisinstance.redis.github.com/cache scaled\n",
    );
    await kubectl.ok("wait pod/cache-1 --for=delete --timeout=40s");
    await kubectl.ok("wait ri/cache --for=jsonpath={.status.readyReplicas}=1/1 --timeout=40s");
    expect(await kubectl.ok("delete -f -", operatorManifest)).toBe(
      [
        'redisinstance.redis.github.com "cache" deleted from default namespace',
        'application.apps.example.com "hello" deleted from default namespace',
        "",
      ].join("\n"),
    );
    await kubectl.ok("wait statefulset/cache deployment/hello --for=delete --timeout=40s");
    await kubectl.ok("wait pod/cache-0 --for=delete --timeout=40s");
  });

  it("drains a node within the budget of its pods, and lets pods back", async () => {
    await kubectl.ok("apply -f -", webManifest);
    await kubectl.ok("create pdb web --selector=app=web --max-unavailable=1");
    await kubectl.ok("rollout status deployment/web --timeout=40s");
    await kubectl.ok("wait pdb/web --for=jsonpath={.status.disruptionsAllowed}=1 --timeout=20s");
    expect(readTable(await kubectl.ok("get pdb"))).toEqual({
      titles: ["NAME", "MIN AVAILABLE", "MAX UNAVAILABLE", "ALLOWED DISRUPTIONS", "AGE"],
      rows: [["web", "N/A", "1", "1", "<age>"]],
    });
    expect(await kubectl.ok("cordon kedge")).toBe("node/kedge cordoned\n");
    expect(readTable(await kubectl.ok("get nodes")).rows[0]?.[1]).toBe("Ready,SchedulingDisabled");

    // One may go; what takes its place has no node to go to.
    const refused = await kubectl.refused("drain kedge --timeout=12s");
    expect(refused).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(refused).toContain("global timeout reached: 12s");
    expect(await kubectl.ok("uncordon kedge")).toBe("node/kedge uncordoned\n");
    await kubectl.ok("wait deployment/web --for=jsonpath={.status.readyReplicas}=2 --timeout=40s");

    expect(await kubectl.ok("delete pdb web")).toBe(
      'poddisruptionbudget.policy "web" deleted from default namespace\n',
    );
    expect(await kubectl.ok("drain kedge --timeout=40s")).toMatch(/\nnode\/kedge drained\n$/u);
    await kubectl.ok("uncordon kedge");
    await kubectl.ok("wait deployment/web --for=jsonpath={.status.readyReplicas}=2 --timeout=40s");
    await kubectl.ok("delete -f -", webManifest);
  });

  it("explains kinds, and knows what is served", async () => {
    expect(await kubectl.ok("explain redisinstance.spec.replicas")).toBe(
      [
        "GROUP:      redis.github.com",
        "KIND:       RedisInstance",
        "VERSION:    v1",
        "",
        "FIELD: replicas <integer>",
        "",
        "",
        "DESCRIPTION:",
        "    How many pods, at most 16: one takes writes and sends them to the others.",
        "    ",
        "",
        "",
      ].join("\n"),
    );
    expect(await kubectl.ok("explain pod.spec.containers.ports")).toContain(
      "  containerPort\t<integer> -required-\n",
    );
    expect(await kubectl.ok("explain application.spec")).toContain("  image\t<string> -required-\n");
    const { titles, rows } = readTable(await kubectl.ok("api-resources"));
    expect(titles).toEqual(["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"]);
    for (const row of [
      ["pods", "po", "v1", "true", "Pod"],
      ["deployments", "deploy", "apps/v1", "true", "Deployment"],
      ["statefulsets", "sts", "apps/v1", "true", "StatefulSet"],
      ["redisinstances", "ri", "redis.github.com/v1", "true", "RedisInstance"],
      ["applications", "app", "apps.example.com/v1alpha1", "true", "Application"],
      ["nodes", "no", "v1", "false", "Node"],
    ]) {
      expect(rows).toContainEqual(row);
    }
  });

  it.each([
    ["a kind that is not served", "get nosuch", 'error: the server doesn\'t have a resource type "nosuch"\n'],
    [
      "an object that is not there",
      "delete pod nosuch",
      'Error from server (NotFound): pods "nosuch" not found\n',
    ],
    [
      "a value that the schema forbids",
      'create -f - <<< {"apiVersion":"redis.github.com/v1","kind":"RedisInstance","metadata":{"name":"bad"},"spec":{"image":"redis:7.0","replicas":0}}',
      'The RedisInstance "bad" is invalid: spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1\n',
    ],
    [
      "a field that nobody knows",
      'create -f - <<< {"apiVersion":"redis.github.com/v1","kind":"RedisInstance","metadata":{"name":"bad"},"spec":{"image":"redis:7.0","nosuch":1}}',
      'Error from server (BadRequest): error when creating "STDIN": RedisInstance in version "v1" cannot be handled as a RedisInstance: strict decoding error: unknown field "spec.nosuch"\n',
    ],
  ])("is refused in Kubernetes' words: %s", async (_what, line, message) => {
    const [args = "", input] = line.split(" <<< ");
    expect(await kubectl.refused(args, input)).toBe(message);
  });
});

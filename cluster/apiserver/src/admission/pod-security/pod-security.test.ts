import { VirtualClock } from "@kedge/machinery";
import { describe, expect, test, vi } from "vitest";
import { startServer, type TestServer } from "../../testing/start-server.ts";
import { evaluate, reasonsText } from "./evaluate.ts";
import { levelText, policyOf } from "./policy.ts";

const label = (name: string): string => `pod-security.kubernetes.io/${name}`;

describe("the policy of a namespace", () => {
  test.each<[string, Record<string, string>, string, string, string]>([
    ["without labels", {}, "privileged:latest", "privileged:latest", "privileged:latest"],
    [
      "warns as it enforces",
      { enforce: "baseline" },
      "baseline:latest",
      "baseline:latest",
      "privileged:latest",
    ],
    [
      "warns of what it says",
      { enforce: "baseline", warn: "restricted", "warn-version": "v1.20" },
      "baseline:latest",
      "restricted:v1.20",
      "privileged:latest",
    ],
    [
      "is strict when it cannot be read, and does not warn of that",
      { enforce: "x", audit: "y", warn: "z" },
      "restricted:latest",
      "privileged:latest",
      "privileged:latest",
    ],
  ])("%s", (_name, labels, enforce, warn, audit) => {
    const written = Object.fromEntries(Object.entries(labels).map(([name, value]) => [label(name), value]));
    const { policy } = policyOf(written);
    expect([policy.enforce, policy.warn, policy.audit].map(levelText)).toEqual([enforce, warn, audit]);
  });
});

test("every check knows from which version on it holds", () => {
  const pod = { spec: { containers: [{ name: "c", securityContext: { runAsNonRoot: true } }] } };
  const at = (version: number | "latest") => reasonsText(evaluate({ level: "restricted", version }, pod));
  expect(at(7)).toBe("");
  expect(at(8)).toBe("allowPrivilegeEscalation != false");
  expect(at(19)).toBe("allowPrivilegeEscalation != false, seccompProfile");
  expect(at(22)).toBe("allowPrivilegeEscalation != false, unrestricted capabilities, seccompProfile");
  expect(at(999)).toBe(at("latest"));
});

test("before there was a field, annotations said how a container is confined", () => {
  const metadata = { annotations: { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" } };
  const pod = { metadata, spec: { containers: [{ name: "c" }] } };
  expect(evaluate({ level: "baseline", version: 18 }, pod)).toEqual([
    {
      reason: "seccompProfile",
      detail: 'forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined"',
    },
  ]);
  expect(evaluate({ level: "baseline", version: 19 }, pod)).toEqual([]);
});

async function warnings(server: TestServer): Promise<string> {
  const { headers } = await server.ask(
    "PATCH",
    "/api/v1/namespaces/default",
    { metadata: { labels: { [label("enforce")]: "baseline" } } },
    { headers: { "content-type": "application/merge-patch+json" } },
  );
  return String(headers["warning"]);
}

test("pods that break a new level in the same way are told of in one line, however slow the machine is", async () => {
  const clock = new VirtualClock();
  await using server = await startServer({ clock });
  await server.ask("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  const spec = {
    hostPID: true,
    automountServiceAccountToken: false,
    containers: [{ name: "c", image: "c:1" }],
  };
  for (let i = 0; i < 40; i++)
    await server.ask("POST", "/api/v1/namespaces/default/pods", { metadata: { name: `p${i}` }, spec });
  let now = clock.monotonic();
  vi.spyOn(clock, "monotonic").mockImplementation(() => (now += 60));
  expect(await warnings(server)).toContain("p0 (and 39 other pods): host namespaces");
});

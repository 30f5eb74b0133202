import { expect, it } from "vitest";
import { clusterFolder } from "./cluster-folder.ts";
import { argumentsOf, inNamespace, nodeRole } from "./launch-part.ts";

const folder = clusterFolder("/c");

it.each([
  ["server", ["--max-semi-space-size=4", expect.stringMatching(/\/server\.ts$/u), "/c"]],
  [nodeRole("one"), ["--max-semi-space-size=1", expect.stringMatching(/\/node\.ts$/u), "/c", "one"]],
  ["nodes", ["--max-semi-space-size=4", expect.stringMatching(/\/nodes\.ts$/u), "/c"]],
] as const)("starts %s with its program, the folder, and a small young generation", (role, expected) => {
  expect(argumentsOf(role, folder)).toEqual(expected);
});

it("starts a part in a network namespace by a program that becomes it", () => {
  expect(inNamespace("/run/netns/x", ["node", "a", "b"])).toEqual([
    "nsenter",
    ["--net=/run/netns/x", "--", "node", "a", "b"],
  ]);
  expect(inNamespace(undefined, ["node", "a", "b"])).toEqual(["node", ["a", "b"]]);
});

it("starts the operators by the command that users have, reachable from this machine only", () => {
  expect(argumentsOf("operator", folder)).toEqual([
    "--max-semi-space-size=2",
    expect.stringMatching(/\/main\.ts$/u),
    "operator",
    "--kubeconfig",
    expect.stringMatching(/^\/c\//u),
    "--health-address",
    "127.0.0.1:0",
    "--metrics-address",
    "127.0.0.1:0",
    "--no-leader-elect",
  ]);
});

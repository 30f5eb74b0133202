import type { HPAScalingRules } from "@kedge/machinery/kinds/autoscaling/v2";
import { describe, expect, it } from "vitest";
import { newHistory, withChange, withRecommendation, type History } from "./history.ts";
import { normalize, type Normalized } from "./normalize.ts";

const now = 10_000_000;
const empty: History = { recommendations: [], ups: [], downs: [] };
const ago = (seconds: number): number => now - seconds * 1000;

const anyUp: HPAScalingRules = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
};
const anyDown: HPAScalingRules = {
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
};

interface Setup {
  readonly from: number;
  readonly to: number;
  readonly history?: History;
  readonly up?: Partial<HPAScalingRules>;
  readonly down?: Partial<HPAScalingRules>;
}

function normalized({ from, to, history = empty, up, down }: Setup): Normalized {
  const behavior =
    up === undefined && down === undefined
      ? undefined
      : { scaleUp: { ...anyUp, ...up }, scaleDown: { ...anyDown, ...down } };
  return normalize({
    wish: { current: from, desired: to, min: 2, max: 20 },
    behavior,
    history,
    downscaleStabilization: 300_000,
    now,
  });
}

type Row = readonly [title: string, setup: Setup, replicas: number, able: string, limited: string];

function outcome(setup: Setup) {
  const { replicas, conditions } = normalized(setup);
  const [able, limited] = conditions;
  return [replicas, able?.reason, `${limited?.status ?? ""} ${limited?.reason ?? ""}`];
}

describe("without behavior", () => {
  const recommended = (replicas: number, seconds: number): History =>
    withRecommendation(empty, { replicas, time: ago(seconds) }, 0);

  it.each<Row>([
    ["what is wanted", { from: 5, to: 7 }, 7, "ReadyForNewScale", "False DesiredWithinRange"],
    ["not fewer than the least", { from: 5, to: 1 }, 2, "ReadyForNewScale", "True TooFewReplicas"],
    ["not more than the most", { from: 15, to: 50 }, 20, "ReadyForNewScale", "True TooManyReplicas"],
    ["not more than twice as many", { from: 5, to: 15 }, 10, "ReadyForNewScale", "True ScaleUpLimit"],
    ["or four", { from: 2, to: 3 }, 3, "ReadyForNewScale", "False DesiredWithinRange"],
    ["but not more", { from: 1, to: 9 }, 4, "ReadyForNewScale", "True ScaleUpLimit"],
    [
      "what was recommended lately",
      { from: 9, to: 3, history: recommended(6, 299) },
      6,
      "ScaleDownStabilized",
      "False DesiredWithinRange",
    ],
    [
      "not what was long ago",
      { from: 9, to: 3, history: recommended(6, 301) },
      3,
      "ReadyForNewScale",
      "False DesiredWithinRange",
    ],
  ])("%s", (_title, setup, ...expected) => {
    expect(outcome(setup)).toEqual(expected);
  });
});

describe("with behavior", () => {
  const recommended = (...list: readonly (readonly [replicas: number, seconds: number])[]): History => ({
    ...empty,
    recommendations: list.map(([replicas, seconds]) => ({ replicas, time: ago(seconds) })),
  });
  const came = (count: number, seconds: number): History => ({
    ...empty,
    ups: [{ count, time: ago(seconds) }],
  });
  const went = (count: number, seconds: number): History => ({
    ...empty,
    downs: [{ count, time: ago(seconds) }],
  });
  const pods = (value: number, periodSeconds = 60) => ({ type: "Pods", value, periodSeconds });
  const percent = (value: number, periodSeconds = 60) => ({ type: "Percent", value, periodSeconds });

  it.each<Row>([
    [
      "the policies of Kubernetes: twice as many",
      { from: 6, to: 15, up: {} },
      12,
      "ReadyForNewScale",
      "True ScaleUpLimit",
    ],
    ["or four more", { from: 3, to: 15, up: {} }, 7, "ReadyForNewScale", "True ScaleUpLimit"],
    [
      "the window of the controller for going down",
      { from: 9, to: 3, up: {}, history: recommended([8, 299]) },
      8,
      "ScaleDownStabilized",
      "False DesiredWithinRange",
    ],
    [
      "a window of its own",
      { from: 9, to: 3, down: { stabilizationWindowSeconds: 60 }, history: recommended([8, 61]) },
      3,
      "ReadyForNewScale",
      "False DesiredWithinRange",
    ],
    [
      "none",
      { from: 9, to: 3, down: { stabilizationWindowSeconds: 0 }, history: recommended([8, 1]) },
      3,
      "ReadyForNewScale",
      "False DesiredWithinRange",
    ],
    [
      "the lowest of a window for going up",
      { from: 3, to: 9, up: { stabilizationWindowSeconds: 60 }, history: recommended([5, 30], [7, 10]) },
      5,
      "ScaleUpStabilized",
      "False DesiredWithinRange",
    ],
    [
      "never below what there is for that",
      { from: 6, to: 9, up: { stabilizationWindowSeconds: 60 }, history: recommended([5, 30]) },
      6,
      "ScaleUpStabilized",
      "False DesiredWithinRange",
    ],
    [
      "a number of pods a minute",
      { from: 5, to: 15, up: { policies: [pods(2)] } },
      7,
      "ReadyForNewScale",
      "True ScaleUpLimit",
    ],
    [
      "those that came in it are among them",
      { from: 6, to: 15, up: { policies: [pods(2)] }, history: came(1, 30) },
      7,
      "ReadyForNewScale",
      "True ScaleUpLimit",
    ],
    [
      "none when all have come",
      { from: 7, to: 15, up: { policies: [pods(2)] }, history: came(4, 30) },
      7,
      "ReadyForNewScale",
      "True ScaleUpLimit",
    ],
    [
      "those that went leave room",
      { from: 4, to: 15, up: { policies: [pods(2)] }, history: went(3, 30) },
      9,
      "ReadyForNewScale",
      "True ScaleUpLimit",
    ],
    [
      "a part, rounded up",
      { from: 5, to: 15, up: { policies: [percent(10)] } },
      6,
      "ReadyForNewScale",
      "True ScaleUpLimit",
    ],
    [
      "the least of several",
      { from: 10, to: 20, up: { selectPolicy: "Min", policies: [pods(3), percent(50)] } },
      13,
      "ReadyForNewScale",
      "True ScaleUpLimit",
    ],
    [
      "the most of several",
      { from: 10, to: 20, up: { policies: [pods(3), percent(50)] } },
      15,
      "ReadyForNewScale",
      "True ScaleUpLimit",
    ],
    [
      "never up",
      { from: 5, to: 15, up: { selectPolicy: "Disabled" } },
      5,
      "ReadyForNewScale",
      "True ScaleUpLimit",
    ],
    [
      "never down",
      { from: 15, to: 5, down: { selectPolicy: "Disabled" } },
      15,
      "ReadyForNewScale",
      "True ScaleDownLimit",
    ],
    [
      "pods a minute downwards",
      { from: 9, to: 2, down: { policies: [pods(2)] } },
      7,
      "ReadyForNewScale",
      "True ScaleDownLimit",
    ],
    [
      "those that went in it are among them",
      { from: 8, to: 2, down: { policies: [pods(2)] }, history: went(1, 30) },
      7,
      "ReadyForNewScale",
      "True ScaleDownLimit",
    ],
    [
      "a part downwards, with what remains rounded down",
      { from: 9, to: 2, down: { policies: [percent(10)] } },
      8,
      "ReadyForNewScale",
      "True ScaleDownLimit",
    ],
    [
      "the least downwards",
      { from: 10, to: 2, down: { selectPolicy: "Min", policies: [pods(3), percent(50)] } },
      7,
      "ReadyForNewScale",
      "True ScaleDownLimit",
    ],
    [
      "not below the least, however fast",
      { from: 10, to: 1, down: {} },
      2,
      "ReadyForNewScale",
      "True TooFewReplicas",
    ],
    ["not above the most", { from: 15, to: 25, up: {} }, 20, "ReadyForNewScale", "True TooManyReplicas"],
  ])("%s", (_title, setup, ...expected) => {
    expect(outcome(setup)).toEqual(expected);
  });
});

describe("a history", () => {
  it("does not grow beyond what is asked for", () => {
    let history = newHistory(3, 0);
    const behavior = { scaleUp: anyUp, scaleDown: anyDown };
    for (let time = 1000; time < 1000 * 3600; time += 1000) {
      history = withRecommendation(history, { replicas: 1, time }, time - 60_000);
      history = withChange(history, { from: 1, to: 2, time }, behavior);
      history = withChange(history, { from: 2, to: 1, time }, behavior);
    }
    expect(history.recommendations.length).toBeLessThanOrEqual(62);
    expect(history.ups.length).toBeLessThanOrEqual(17);
    expect(history.downs.length).toBeLessThanOrEqual(17);
  });

  it("has no changes that nobody asks for", () => {
    const history = newHistory(3, 0);
    expect(withChange(history, { from: 1, to: 2, time: 1 }, undefined)).toBe(history);
  });
});

import type { JsonObject } from "../../comparison/json.ts";
import type { Chooser } from "../chooser.ts";

/** A quantity. */
export function quantity(choose: Chooser): unknown {
  return choose.one<unknown>(
    ["1", "2", "100m", "1Gi", "1.5Gi", "0.5", "1e3", "10M", 1, "0", "1000m", "1024Mi"],
    ["-1", "0.0001", "x", ""],
  );
}

/** The number of a port. */
export function port(choose: Chooser): number {
  return choose.one([80, 8080, 443, 1, 65535], [0, 70000, -1]);
}

/** The number or the name of a port. */
export function portOrName(choose: Chooser): unknown {
  return choose.one<unknown>([80, "http", 8080], [0, "Bad Name", 70000, "", "way-too-long-a-port-name"]);
}

/** A protocol of a port. */
export function protocol(choose: Chooser): string {
  return choose.one(["TCP", "UDP", "SCTP"], ["ICMP", "", "tcp"]);
}

/** A number or a percentage. */
export function amount(choose: Chooser): unknown {
  return choose.one<unknown>([1, 2, "25%", "100%"], [0, "0%", "150%", "x", -1]);
}

/** A label selector that the labels `app: a` or `app: b` match, most of the time. */
export function labelSelector(choose: Chooser): JsonObject {
  return choose.fields({
    matchLabels: [
      90,
      () => choose.map([{ app: "a" }, { app: "a" }, { app: "b" }, {}], [{ "a b": "c" }, { app: "y z" }]),
    ],
    matchExpressions: [
      15,
      () => [
        {
          key: choose.one(["app", "x/y"], ["a b", ""]),
          ...choose.one(
            [
              { operator: "In", values: ["a", "b"] },
              { operator: "Exists" },
              { operator: "NotIn", values: ["c"] },
            ],
            [
              { operator: "Like" },
              { operator: "In" },
              { operator: "Exists", values: ["a"] },
              { operator: "In", values: [] },
            ],
          ),
        },
      ],
    ],
  });
}

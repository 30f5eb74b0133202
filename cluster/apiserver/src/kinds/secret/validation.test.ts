import { fieldErrorText } from "@kedge/machinery";
import { expect, test } from "vitest";
import type { ApiObject } from "../../registry/types.ts";
import { testResources } from "../testing/write-context.ts";
import { allErrors } from "../../write/errors-of.ts";

const { strategy } = testResources()("Secret");

function dockerConfig(text: string): ApiObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "a", namespace: "ns" },
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": Buffer.from(text).toString("base64") },
  };
}

test.each([
  ["{}", undefined],
  ["null", undefined],
  ["geheim", "invalid character 'g' looking for beginning of value"],
  ["", "unexpected end of JSON input"],
  ['{"geheim":', "unexpected end of JSON input"],
  ["{} geheim", "invalid character 'g' after top-level value"],
  ["[]", "json: cannot unmarshal array into Go value of type map[string]interface {}"],
])("of a configuration of registries %j it is said as Go does, and not repeated", (text, why) => {
  const errors = allErrors(strategy.validate?.(dockerConfig(text))).map(fieldErrorText);
  const path = "data[.dockerconfigjson]";
  expect(errors).toEqual(
    why === undefined ? [] : [`${path}: Invalid value: "<secret contents redacted>": ${why}`],
  );
});

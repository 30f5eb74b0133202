import { expect, it } from "vitest";
import { templateData } from "./new-revision.ts";

it("keeps a template with its keys in the order in which an API server writes them", () => {
  const template = {
    spec: { containers: [{ name: "main", image: "main:1" }] },
    metadata: { labels: { b: "2", a: "1" } },
  };
  expect(JSON.stringify(templateData(template))).toBe(
    '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"a":"1","b":"2"}},"spec":{"containers":[{"image":"main:1","name":"main"}]}}}}',
  );
});

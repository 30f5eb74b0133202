import { Document, isMap, isPair, isScalar, isSeq, visit } from "yaml";
import { parseYamlExactly } from "../script/exact-yaml.ts";
import type { Transcript } from "./transcript.ts";

/** A transcript as the text of its file. The same transcript is the same text. */
export function transcriptToYaml(transcript: Transcript): string {
  const document = new Document(transcript, { aliasDuplicateObjects: false });
  document.commentBefore = " Recorded from a real Kubernetes by record.ts: not to be edited.";
  visit(document, {
    Pair(_key, { key, value }) {
      if (isScalar(key) && key.value === "managedFields" && isSeq(value)) {
        for (const item of value.items) if (isMap(item)) item.flow = true;
      }
    },
  });
  separateSteps(document);
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** Reads what `transcriptToYaml` has written. */
export function transcriptFromYaml(text: string): Transcript {
  return parseYamlExactly(text) as Transcript;
}

/** An empty line between steps. */
function separateSteps({ contents }: Document): void {
  if (!isMap(contents)) return;
  const steps = contents.items.find(
    (pair) => isPair(pair) && isScalar(pair.key) && pair.key.value === "steps",
  );
  if (!isSeq(steps?.value)) return;
  for (const step of steps.value.items.slice(1)) if (isMap(step)) step.spaceBefore = true;
}

/** What a pod puts up with. */
interface TolerationView {
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly effect?: string | undefined;
  readonly value?: string | undefined;
}

/** What keeps pods away from a node. */
interface TaintView {
  readonly key: string;
  readonly effect: string;
  readonly value?: string | undefined;
}

/** Whether a toleration covers a taint. */
export function tolerates(toleration: TolerationView, taint: TaintView): boolean {
  const { key = "", operator = "Equal", effect = "", value = "" } = toleration;
  if (effect !== "" && effect !== taint.effect) return false;
  if (key === "") return operator === "Exists";
  return key === taint.key && (operator === "Exists" || value === (taint.value ?? ""));
}

import { ambientObject } from "./ambient-object.ts";
import { heldPromise } from "./held-promise.ts";
import { importDirection } from "./import-direction.ts";
import { skipReason } from "./skip-reason.ts";

/** Our own lint rules: `kedge/ambient-object`, `kedge/held-promise`, `kedge/import-direction` and `kedge/skip-reason`. */
export default {
  meta: { name: "kedge" },
  rules: {
    "ambient-object": ambientObject,
    "held-promise": heldPromise,
    "import-direction": importDirection,
    "skip-reason": skipReason,
  },
};

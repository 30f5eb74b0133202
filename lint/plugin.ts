import { ambientObject } from "./ambient-object.ts";
import { heldPromise } from "./held-promise.ts";
import { importDirection } from "./import-direction.ts";

/** Our own lint rules: `kedge/ambient-object`, `kedge/held-promise` and `kedge/import-direction`. */
export default {
  meta: { name: "kedge" },
  rules: {
    "ambient-object": ambientObject,
    "held-promise": heldPromise,
    "import-direction": importDirection,
  },
};

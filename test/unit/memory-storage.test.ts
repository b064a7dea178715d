import { describe, it } from "node:test";
import { describeStorage } from "../../lib/storage/contract/index.ts";
import { memoryStorage } from "../../lib/storage/memory.ts";

describeStorage("memoryStorage", { open: async () => memoryStorage() }, { describe, it });

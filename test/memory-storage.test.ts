import { describe, it } from "node:test";
import { memoryStorage } from "../lib/memory-storage.ts";
import { describeStorage } from "../lib/storage-contract/index.ts";

describeStorage("The storage in memory", { open: async () => memoryStorage() }, { describe, it });

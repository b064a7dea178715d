import { describe, it } from "node:test";
import { describeStorage } from "../../lib/storage/contract/index.ts";
import { memoryStorage } from "../../lib/storage/memory.ts";

// Reports name the file that calls `describe`.
const suite = (name: string, body: () => void): void => void describe(name, body);

describeStorage("memoryStorage", { open: async () => memoryStorage() }, { describe: suite, it });

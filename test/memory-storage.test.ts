import { MemoryStorage } from "./memory-storage.ts";
import { describeStorage } from "./storage.contract.ts";

describeStorage("the model in memory", async () => ({ storage: new MemoryStorage() }));

export { describeStorage } from "./describe-storage.js";

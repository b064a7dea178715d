import { trial } from "./trial.ts";

await trial(process.env.CRM_URL ?? "", process.env.CRM_API_KEY ?? "");

import { trial } from "./trial.js";

await trial(process.env.CRM_URL, process.env.CRM_KEY);

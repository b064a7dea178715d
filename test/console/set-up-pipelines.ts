import assert from "node:assert/strict";
import { checkAccessible, checkWidth } from "./browser.ts";
import { field, group, press, screen, success } from "./forms.ts";
import {
  archiveAndRestore,
  confirm,
  create,
  type DeclareTest,
  openList,
  type SetUpRecord,
  save,
} from "./set-up-steps.ts";

type Stage = { readonly id: string; readonly name: string; readonly order: number; readonly probability: number };

/** Pipelines and their stages. */
export function testPipelines(consoleTest: DeclareTest): void {
  consoleTest("pipelines and their stages are created, changed, moved, archived and restored", async (crm) => {
    const { page, send } = crm;
    await openList(page, "Pipelines");
    await page.getByRole("link", { name: "New pipeline" }).click();
    await field(page, "Name").first().fill("Rentals");
    const rows = group(page, "Stages");
    await rows.getByLabel("Name").fill("Request");
    await rows.getByLabel("Probability in percent").fill("20");
    await press(rows, "Add a row");
    await rows.getByLabel("Name").nth(1).fill("Signed");
    await checkWidth(page);
    const id = await create(page, "Rentals");
    const readStages = async () => {
      const stages = await send<readonly Stage[]>("GET", `/admin/stages?pipelineId=${id}`);
      return [...stages].sort((a, b) => a.order - b.order).map(({ name }) => name);
    };
    assert.deepEqual(await readStages(), ["Request", "Signed"]);
    await field(page, "Lost reasons").fill("Too far\nToo late");
    await field(page, "A lost opportunity needs a reason").check();
    await save(page);
    const { lostReasons, requireLostReason } = await send<SetUpRecord>("GET", `/admin/pipelines/${id}`);
    assert.deepEqual([lostReasons, requireLostReason], [["Too far", "Too late"], true]);

    const stages = page.getByRole("region", { name: "Stages", exact: true });
    await stages.getByRole("link", { name: "New stage" }).click();
    await screen(page, "New stage");
    await field(page, "Name").fill("Offer");
    await create(page, "Offer");
    await field(page, "Probability in percent").fill("60");
    await save(page);
    await page.getByRole("link", { name: "Back to the pipeline" }).click();
    await screen(page, "Rentals");
    const reordered = page.waitForRequest(/\/reorder-stages$/);
    await press(stages, "Move Offer up");
    await reordered;
    await stages.getByText("Offer is now stage 2.").waitFor();
    assert.deepEqual(await readStages(), ["Request", "Offer", "Signed"]);
    await checkAccessible(page);

    await stages.getByRole("link", { name: "Require a field in Offer" }).click();
    await screen(page, "New rule");
    await field(page, "Field").selectOption("Amount");
    await create(page, "Opportunity: Amount");
    await page.goto(page.url().replace(/#.*/, `#/pipelines/${id}`));
    await stages.getByRole("listitem").filter({ hasText: "Offer" }).getByRole("link", { name: "Amount" }).waitFor();

    await stages.getByRole("link", { name: "Signed", exact: true }).click();
    await screen(page, "Signed");
    await press(page, "Archive");
    await confirm(page, "Archive");
    await success(page, "Archived.");
    assert.deepEqual(await readStages(), ["Request", "Offer"]);
    await press(page, "Restore");
    await success(page, "Restored.");
    assert.deepEqual(await readStages(), ["Request", "Offer", "Signed"]);
    await openList(page, "Pipelines");
    await page.getByRole("link", { name: "Rentals", exact: true }).click();
    await archiveAndRestore(crm, "Pipelines", "Rentals");
  });

  consoleTest("a stage with open opportunities can't be archived and leads to them", async ({ page, ...crm }) => {
    crm.expectErrors("DELETE /admin/stages/{id} 409");
    await openList(page, "Pipelines");
    await page.getByRole("link", { name: "Equipment sales", exact: true }).click();
    await page.getByRole("link", { name: "Tasting", exact: true }).click();
    await screen(page, "Tasting");
    await press(page, "Archive");
    await confirm(page, "Archive");
    await page.getByRole("alert").waitFor();
    await checkAccessible(page);
    await page.getByRole("link", { name: "Show the open opportunities" }).click();
    await screen(page, "Opportunities");
    await page.getByRole("link", { name: "Grinder for filter coffee" }).waitFor();
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { stepsOf, withOutputs } from "../support/docs-pages.ts";

const page = `# Page

\`\`\`sh
echo one
\`\`\`

\`\`\`text
old
\`\`\`

\`\`\`sh
echo two
\`\`\`

## Another heading

\`\`\`text
an example
\`\`\`

\`\`\`sh
npm ci && npm start
\`\`\`

\`\`\`json
{}
\`\`\`
`;

test("only a block that follows its step directly is an output", () => {
  assert.deepEqual(
    stepsOf(page).map(({ output }) => output),
    ["old\n", undefined, undefined],
  );
});

test("withOutputs replaces only outputs", () => {
  assert.equal(withOutputs(page, ["new\n"]), page.replace("old", "new"));
});

test("withOutputs rejects an empty output", () => {
  assert.throws(() => withOutputs(page, ["\n"]), /"echo one" printed nothing\. Remove the block after it\./);
});

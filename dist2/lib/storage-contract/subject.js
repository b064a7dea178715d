/** Tests without a parameter, as some runners take one for a callback. */
export function testsOf(subject, { it }) {
    const test = (name, body) => {
        it(name, async () => {
            const storage = await subject.open();
            try {
                await body(storage);
            }
            finally {
                await storage.close();
            }
        });
    };
    const reopenTest = (name, body) => {
        if (subject.reopen === undefined) {
            it.skip?.(`${name} (this storage keeps nothing beyond its life)`, async () => { });
            return;
        }
        it(name, async () => {
            let last = await subject.open();
            const reopen = async () => {
                last = (await subject.reopen?.(last)) ?? last;
                return last;
            };
            try {
                await body(last, reopen);
            }
            finally {
                await last.close();
            }
        });
    };
    return { test, reopenTest };
}

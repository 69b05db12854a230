const WITHIN_MS = 60_000

/** Waits until it is so, or gives up: the test then says what is missing. */
export async function until(check: () => Promise<boolean>): Promise<void> {
  const late = Date.now() + WITHIN_MS
  while (!(await check().catch(() => false)) && Date.now() < late) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

// Lists at the end of a run the tests that failed at first and passed when retried (vitest.config.ts), so
// that such a run is not mistaken for a clean one.

import type { Reporter, TestCase } from 'vitest/node'

export function createSecondTries(): Reporter {
  const names: string[] = []
  return {
    onTestCaseResult(test: TestCase) {
      const tries = test.diagnostic()?.retryCount ?? 0
      if (tries > 0 && test.ok()) names.push(`${test.module.relativeModuleId} > ${test.fullName}`)
    },
    onTestRunEnd() {
      if (names.length === 0) return
      console.error(`\nPassed at the second try only (${names.length}):\n  ${names.join('\n  ')}\n`)
    },
  }
}

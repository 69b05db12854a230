import { integer } from './parsers.ts'
import { setting } from './setting.ts'

export const streamBytesSettings = {
  streamAllowanceGbMonth: setting(
    'STREAM_ALLOWANCE_GB_MONTH',
    '0',
    integer(0, 1_000_000),
    'Gigabytes a month (30 days) that the streams may receive before the doctor and the status page warn; nothing is left out for it. 0: no limit.',
  ),
  streamBudgetGbMonth: setting(
    'STREAM_BUDGET_GB_MONTH',
    '0',
    integer(0, 1_000_000),
    'Gigabytes a calendar month (UTC) within which the streams are to stay: as far as needed, what strangers do is left out, their likes first, then reposts, follows, and the rest; never what members and those they follow do (docs/SOURCES.md). Needs INDEX_SCOPE=community. 0: no limit.',
  ),
}

/** @returns what contradicts the budget. */
export function unfitBudget(settings: {
  streamBudgetGbMonth: number
  indexScope: string
  jetstreamHosts: readonly string[]
}): { message: string; hint: string } | undefined {
  const { streamBudgetGbMonth, indexScope, jetstreamHosts } = settings
  if (streamBudgetGbMonth === 0) return undefined
  if (jetstreamHosts.length === 0) {
    return {
      message: `SLIPSTREAM_STREAM_BUDGET_GB_MONTH is ${streamBudgetGbMonth}, but SLIPSTREAM_JETSTREAM_HOSTS is off: a relay leaves nothing out.`,
      hint: 'Name Jetstream hosts, or set SLIPSTREAM_STREAM_BUDGET_GB_MONTH=0. SLIPSTREAM_STREAM_ALLOWANCE_GB_MONTH only warns.',
    }
  }
  if (indexScope === 'community') return undefined
  const why =
    indexScope === 'network'
      ? 'everything is to be indexed, so nothing can be left out'
      : 'strangers’ records are left out already'
  return {
    message: `SLIPSTREAM_STREAM_BUDGET_GB_MONTH is ${streamBudgetGbMonth}, but SLIPSTREAM_INDEX_SCOPE is ${indexScope}: ${why}.`,
    hint: 'Set SLIPSTREAM_INDEX_SCOPE=community, or SLIPSTREAM_STREAM_BUDGET_GB_MONTH=0. SLIPSTREAM_STREAM_ALLOWANCE_GB_MONTH only warns.',
  }
}

// A page of a listing as far as the account's cold start may bring bytes (ingest/indexing/cold-start-budget.ts). What is
// beyond counts as a record that can't be used: it is there, and is fetched alone when somebody looks at it.

import type { Take } from '../../sources/pds/listing.ts'
import type { RepoTarget } from '../../sources/pds/pds-client.ts'
import type { Services } from './work.ts'

export function withinBudget({ apply, coldStarts }: Services, { uid }: RepoTarget): Take {
  return (page) => {
    const left = coldStarts.bytesLeft(uid)
    let bytes = 0
    let fitting = 0
    for (const { record } of page.records) {
      const length = JSON.stringify(record).length
      if (bytes + length > left) break
      bytes += length
      fitting += 1
    }
    coldStarts.spendBytes(uid, bytes)
    const beyond = page.records.slice(fitting).map(({ rkey }) => rkey)
    if (beyond.length === 0) return { page, isSpent: false }
    apply.leaveOut('over-budget', beyond.length)
    const records = page.records.slice(0, fitting)
    return { page: { ...page, records, broken: [...page.broken, ...beyond] }, isSpent: true }
  }
}

// Codes of account states in `actors.status`. Append only.

import type { AccountStatus } from '@slipstream/jetstream'

export const ACTIVE = 0

const codes: Record<AccountStatus, number> = {
  deactivated: 1,
  suspended: 2,
  takendown: 3,
  deleted: 4,
  desynchronized: 5,
  throttled: 6,
}

export function statusCode(status: AccountStatus | undefined): number {
  return status ? codes[status] : ACTIVE
}

const byCode = new Map(Object.entries(codes).map(([name, code]) => [code, name as AccountStatus]))

/** Undefined if the account is active. */
export function statusOf(code: number): AccountStatus | undefined {
  return byCode.get(code)
}

/**
 * Whether the account's content is hidden: in every state except active, out-of-sync and throttled.
 */
export function isHiddenStatus(code: number): boolean {
  return code >= codes.deactivated && code <= codes.deleted
}

// A link to /read for one member, made by the server: only it knows the token that it was started with.

import type { Config } from '../../base/config/config.ts'
import { HOUR_MS } from '../../base/util/durations.ts'
import { settingsLocation } from '../../base/util/installation.ts'
import { isWithin } from '../../base/util/is-within.ts'
import { createReadingTokens, MAX_READING_HOURS } from '../../sources/identity/reading-token.ts'
import { OperatorError } from './operator-error.ts'

export type ReadingLink = { url: string; did: string; until: string }

/** @throws OperatorError without an operator's token, or if the hours are not from 1 to 720. */
export function readingLink(
  { operatorToken, publicOrigin }: Pick<Config, 'operatorToken' | 'publicOrigin'>,
  { did, hours }: { did: string; hours: unknown },
): ReadingLink {
  if (operatorToken === undefined) {
    throw new OperatorError(
      409,
      '/read is off without SLIPSTREAM_OPERATOR_TOKEN.',
      `Set it in ${settingsLocation()}, for example to the output of \`openssl rand -hex 32\`, and restart the server.`,
    )
  }
  if (!isWithin(hours, 1, MAX_READING_HOURS)) {
    throw new OperatorError(400, 'The hours are unfit.', `From 1 to ${MAX_READING_HOURS}.`)
  }
  const url = `${publicOrigin}/read#${createReadingTokens(operatorToken).mint(did, Number(hours))}`
  return { url, did, until: new Date(Date.now() + Number(hours) * HOUR_MS).toISOString() }
}

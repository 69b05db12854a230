// The lines of a `.env` file. Node's reader passes over a line that it does not understand, and where that was meant for
// SLIPSTREAM_MEMBERS, everybody may read. So such a line is refused.

import { parseEnv } from 'node:util'
import { isNearlyPrefixed } from './nearest.ts'
import { PREFIX } from './setting.ts'

/** Thrown for a line; the message says what is wrong with it, and the hint how it is written. */
export class UnfitLine extends Error {
  readonly hint: string
  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

const BYTE_ORDER_MARK = /^\ufeff/
/** Beginnings that people know from shells, YAML and lists. */
const BEGINNING = /^\s*(?:export\s|set\s|setenv\s|\$env:|[-*]\s)?\s*/i
/** Only of spaces and tabs: what looks like a space, or like nothing, would be part of the name. */
const ASSIGNMENT = /^\w+[ \t]*=/
const EXPORT = /^[ \t]*(?:export[ \t])?[ \t]*/
const UNSEEN = /[^\x20-\x7e\t]/g
/** With another character in place of the underscore. */
const NEAR_PREFIX = /^SLIPSTREAM[ .-]?(?=[A-Z])/
const CUT_VALUE = /^[^=]*=\s*[^\s"'`#][^\s"'`]*?#/

/** @throws UnfitLine */
export function parseDotenv(bytes: Buffer): NodeJS.Dict<string> {
  if (bytes.includes(0))
    throw new UnfitLine('is not UTF-8', 'Save it as UTF-8: what wrote it used another encoding.')
  const text = bytes.toString().replace(BYTE_ORDER_MARK, '').replaceAll(/\r\n?/g, '\n')
  for (const [index, line] of text.split('\n').entries()) refuseUnfit(line, index + 1)
  const found = parseEnv(text)
  for (const [key, value = ''] of Object.entries(found)) refuseUnclosed(key, value)
  return found
}

/** Its value would go on to the next quote, and what stands between would not be set. */
function refuseUnclosed(key: string, value: string): void {
  if (!value.includes(`\n${PREFIX}`)) return
  throw new UnfitLine(
    `has a quote that is not closed, in the value of ${key}`,
    'Close it at the end of its line: the settings below would be part of the value.',
  )
}

function refuseUnfit(line: string, number: number): void {
  const word = nameIn(line)
  if (!isNearlyPrefixed(word, PREFIX)) return
  if (!ASSIGNMENT.test(line.replace(EXPORT, '')) || !line.includes(word))
    throw new UnfitLine(
      `has a line that sets nothing, line ${number}`,
      `Write ${word}=VALUE there${leftOf(line).search(UNSEEN) >= 0 ? ': it has a character that can’t be seen' : ''}.`,
    )
  if (CUT_VALUE.test(line))
    throw new UnfitLine(
      `has a # in the value of line ${number}, where a comment would begin`,
      `Put the value of ${word} into quotes, or a space before the comment.`,
    )
}

/** The setting that a person reads at the beginning of the line. */
function nameIn(line: string): string {
  const seen = leftOf(line).replaceAll(UNSEEN, ' ').replace(BEGINNING, '').trim()
  return /^[\w-]*/.exec(seen.replace(NEAR_PREFIX, PREFIX))![0].replaceAll('-', '_')
}

function leftOf(line: string): string {
  return line.split('=', 1)[0]!
}

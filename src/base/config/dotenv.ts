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
const EXPORT = /^\s*export\s/
const ASSIGNMENT = /^[\w.-]+\s*=/
const CUT_VALUE = /^[^=]*=\s*[^\s"'`#][^\s"'`]*?#/

/** @throws UnfitLine */
export function parseDotenv(bytes: Buffer): NodeJS.Dict<string> {
  if (bytes.includes(0))
    throw new UnfitLine('is not UTF-8', 'Save it as UTF-8: what wrote it used another encoding.')
  const text = bytes.toString().replace(BYTE_ORDER_MARK, '').replaceAll(/\r\n?/g, '\n')
  for (const [index, line] of text.split('\n').entries()) refuseUnfit(line, index + 1)
  return parseEnv(text)
}

function refuseUnfit(line: string, number: number): void {
  const word = /^[\w-]*/.exec(line.replace(BEGINNING, ''))![0]
  if (!isNearlyPrefixed(word, PREFIX)) return
  if (!ASSIGNMENT.test(line.replace(EXPORT, '').trim()))
    throw new UnfitLine(
      `has a line that sets nothing, line ${number}`,
      `Write ${word}=VALUE there.`,
    )
  if (CUT_VALUE.test(line))
    throw new UnfitLine(
      `has a # in the value of line ${number}, where a comment would begin`,
      `Put the value of ${word} into quotes, or a space before the comment.`,
    )
}

import { InvalidArgumentError } from 'commander'
import { Unfit } from '../../../base/config/parsers.ts'
import { s3Url } from '../settings.ts'

/** @throws InvalidArgumentError saying what would be valid */
export function parseS3Url(text: string): string {
  try {
    return s3Url(text)
  } catch (error) {
    if (error instanceof Unfit) throw new InvalidArgumentError(`Give ${error.message}.`)
    throw error
  }
}

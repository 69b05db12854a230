// What the shipping thread is given, and what it says.

import type { S3Options } from '../bucket/s3.ts'

export type ThreadData = {
  dataDir: string
  s3: S3Options
  /** The age identity. */
  key: string
  everyMs: number
  keepDays: number
  trialDays: number
  settings: string
}

export type ThreadMessage = { level: 'info' | 'warn'; fields: object; message: string }

// Why a store refused, in sentences for its operator: what happened, and what to do.

import { ConfigError } from '../../../base/config/config.ts'

export class BucketError extends ConfigError {
  override name = 'BucketError'
  /** Whether the same request may succeed in a moment. */
  readonly isPassing: boolean
  /** Whether the store says that there is no such object. */
  readonly isMissing: boolean
  constructor(
    message: string,
    hint: string,
    { isPassing = false, isMissing = false }: { isPassing?: boolean; isMissing?: boolean } = {},
  ) {
    super(message, hint)
    this.isPassing = isPassing
    this.isMissing = isMissing
  }
}

export type Refusal = {
  status: number
  /** S3's code, such as NoSuchBucket; empty if the answer has none. */
  code: string
  message: string
  /** The store's clock less ours; undefined if it did not say. */
  aheadMs: number | undefined
}

export const SKEWED = 'RequestTimeTooSkewed'

const PERMISSIONS =
  'Give the key of SLIPSTREAM_OFF_SITE_ACCESS_KEY the rights to list the bucket, and to read, write and delete objects below the prefix.'
const KEYS = 'Check SLIPSTREAM_OFF_SITE_ACCESS_KEY and SLIPSTREAM_OFF_SITE_SECRET_KEY.'
const FULL =
  'Raise its quota or free some of it, or lower SLIPSTREAM_OFF_SITE_KEEP_DAYS. Nothing is lost meanwhile on this machine.'

/** What to say for S3's codes. https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const SENTENCES: Readonly<Record<string, readonly [message: string, hint: string]>> = {
  NoSuchBucket: ['has no such bucket', 'Create the bucket, or correct SLIPSTREAM_OFF_SITE_TO.'],
  AccessDenied: ['refuses this key', PERMISSIONS],
  AllAccessDisabled: ['refuses this key', PERMISSIONS],
  InvalidAccessKeyId: ['does not know this access key', KEYS],
  SignatureDoesNotMatch: ['rejects the signature: the secret key is wrong', KEYS],
  ExpiredToken: ['says that the access key has expired', `Make a new key. ${KEYS}`],
  InvalidToken: ['says that the access key is no longer valid', `Make a new key. ${KEYS}`],
  AuthorizationHeaderMalformed: [
    'rejects the signature: the region is wrong',
    'Set SLIPSTREAM_OFF_SITE_REGION to the bucket’s region.',
  ],
  PermanentRedirect: [
    'has this bucket in another region',
    'Set SLIPSTREAM_OFF_SITE_REGION, and SLIPSTREAM_OFF_SITE_ENDPOINT if it is set, to the bucket’s region.',
  ],
  QuotaExceeded: ['is full', FULL],
  XMinioStorageFull: ['is full', FULL],
  XMinioAdminBucketQuotaExceeded: ['is full', FULL],
  InsufficientStorage: ['is full', FULL],
}

const FULL_STATUS = 507

export function refused(url: string, refusal: Refusal): BucketError {
  const { status, code, message } = refusal
  if (code === SKEWED) return skewed(url, refusal.aheadMs)
  const [text, hint] =
    SENTENCES[status === FULL_STATUS ? 'InsufficientStorage' : code] ?? unknown(refusal)
  const isPassing = (status >= 500 && status !== FULL_STATUS) || status === 429
  const isMissing = status === 404 && code !== 'NoSuchBucket'
  const more = message === '' ? '' : ` (${message.slice(0, 200)})`
  return new BucketError(`The store of ${url} ${text}${more}.`, hint, { isPassing, isMissing })
}

function unknown({ status, code }: Refusal): readonly [string, string] {
  const name = code === '' ? `${status}` : `${status} ${code}`
  return status >= 500 || status === 429
    ? [`is out of order: it answered ${name}`, 'It is tried again. See the store’s own status.']
    : [`answered ${name}`, 'Check SLIPSTREAM_OFF_SITE_TO and SLIPSTREAM_OFF_SITE_ENDPOINT.']
}

function skewed(url: string, aheadMs: number | undefined): BucketError {
  const minutes = Math.round(Math.abs(aheadMs ?? 0) / 60_000)
  const off = aheadMs === undefined ? 'off' : `${minutes} minutes ${aheadMs > 0 ? 'slow' : 'fast'}`
  return new BucketError(
    `The store of ${url} refuses requests because this machine’s clock is ${off}.`,
    'Set the clock: `timedatectl set-ntp true`.',
  )
}

/** The connection failed, or the answer did not come in time. */
export function unreachable(url: string, origin: string, error: unknown): BucketError {
  return new BucketError(
    `The store of ${url} can’t be reached at ${origin}: ${reasonOf(error)}.`,
    'Check SLIPSTREAM_OFF_SITE_ENDPOINT, the network, and the store’s own status. It is tried again.',
    { isPassing: true },
  )
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } }
  if (name === 'TimeoutError' || name === 'AbortError') return 'it did not answer in time'
  return cause?.code ?? cause?.message ?? message
}

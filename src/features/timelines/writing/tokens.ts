// Tokens for programs. Called through `Writer.commit`.

import type { Db } from '../../../data/store/db.ts'
import type { IndexContext } from '../../../ingest/indexing/index-context.ts'
import {
  countServiceTokens,
  findServiceTokenNamed,
  insertServiceToken,
  type NewServiceToken,
  revokeServiceToken,
} from '../store/programs/service-tokens.ts'
import { deleteCursorsOfToken } from '../store/timeline-cursors.ts'

/** No token was created; the message is for the requester. */
export class TokenError extends Error {
  override name = 'TokenError'
}

const MAX_TOKENS = 1_000

/** @throws TokenError */
export function checkNewToken(db: Db, name: string): void {
  if (findServiceTokenNamed(db, name)) {
    throw new TokenError(`There is, or was, a token called ${name}: choose another name.`)
  }
  if (countServiceTokens(db) >= MAX_TOKENS) {
    throw new TokenError(`There are ${MAX_TOKENS} tokens already.`)
  }
}

export function createToken({ db, now }: IndexContext, token: NewServiceToken): void {
  checkNewToken(db, token.name)
  insertServiceToken(db, token, now)
}

/** The token is refused from now on, and its reading positions go. */
export function revokeToken({ db, now }: IndexContext, name: string): boolean {
  deleteCursorsOfToken(db, name)
  return revokeServiceToken(db, name, now)
}

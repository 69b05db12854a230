// Tokens for programs. Called through `Writer.commit`.

import type { Db } from '../../data/store/db.ts'
import {
  countServiceTokens,
  findServiceTokenNamed,
  insertServiceToken,
  revokeServiceToken,
  type ServiceTokenWish,
} from '../../data/store/programs/service-tokens.ts'
import { deleteCursorsOfToken } from '../../data/store/timelines/timeline-cursors.ts'
import type { IndexContext } from '../indexing/index-context.ts'

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

export function createToken({ db, now }: IndexContext, wish: ServiceTokenWish): void {
  checkNewToken(db, wish.name)
  insertServiceToken(db, wish, now)
}

/** The token is refused from now on, and its reading positions go. */
export function revokeToken({ db, now }: IndexContext, name: string): boolean {
  deleteCursorsOfToken(db, name)
  return revokeServiceToken(db, name, now)
}

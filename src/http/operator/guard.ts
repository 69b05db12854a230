// Guards the operator's routes over HTTP: requests need the configured token as a bearer token. Without a
// configured token all are refused, and the routes appear not to exist.

import type { MiddlewareHandler } from 'hono'
import type { Config } from '../../base/config/config.ts'
import { bearerToken, isSameSecret } from '../../base/util/secrets.ts'

/** Answers 401 without the right token, and 404 if none is configured. */
export function requireOperator({ operatorToken }: Pick<Config, 'operatorToken'>) {
  const guard: MiddlewareHandler = async (c, next) => {
    if (operatorToken === undefined) return c.json(NOT_SERVED, 404)
    if (!isOperator(operatorToken, c.req.header('authorization'))) {
      return c.json(REFUSED, 401, { 'www-authenticate': 'Bearer realm="slipstream operator"' })
    }
    c.header('cache-control', 'no-store')
    return next()
  }
  return guard
}

const NOT_SERVED = { error: 'NotFound', message: 'There is nothing at this address' }
const REFUSED = {
  error: 'AuthenticationRequired',
  message: 'The operator’s token is missing or wrong',
}

function isOperator(token: string, authorization: string | undefined): boolean {
  const given = bearerToken(authorization)
  return given !== undefined && isSameSecret(given, token)
}

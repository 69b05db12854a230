// The OAuth side of a simulated PDS (https://atproto.com/specs/oauth): metadata, pushed requests, an answer for
// the account that the request names, and tokens. Nobody types a password: the accounts are invented.

import { createHash, randomBytes } from 'node:crypto'
import { type Context, Hono } from 'hono'

export type Consent = {
  /** What the account's owner answers. */
  answer: 'granted' | 'denied'
  /** Whether it knows permissions other than `transition:generic`. */
  isGranular: boolean
}

export type Sessions = {
  readonly app: Hono
  /** The account whose access token it is, if it is valid still. */
  accountOf(request: Request): string | undefined
  /** Access tokens end; with `all`, so do those that would renew them. */
  end(which: 'access' | 'all'): void
}

type Pushed = {
  did: string
  scope: string
  state: string
  redirectUri: string
  challenge: string
  isFragment: boolean
}
type Grant = { did: string; scope: string }
/** `session`: the same for all that follow from one consent; a revocation ends those, not the account's others. */
type Tokens = Grant & { session: string }

const ACCESS_SECONDS = 3_600
const METHODS = ['authorization_code', 'refresh_token']

export function createSessions(parts: {
  origin: string
  /** @returns the DID of a handle or DID */
  didOf: (name: string) => string | undefined
  consent: Consent
}): Sessions {
  const { origin, didOf, consent } = parts
  const pushed = new Map<string, Pushed>()
  const codes = new Map<string, Pushed>()
  const access = new Map<string, Tokens>()
  const refresh = new Map<string, Tokens>()
  const app = new Hono()
  addMetadata(app, origin, consent)

  app.post('/oauth/par', async (c) => {
    const form = await formOf(c)
    const did = didOf(form['login_hint'] ?? '')
    if (!did) return refused(c, 'invalid_request', 'login_hint names no account of this server')
    const scope = form['scope'] ?? ''
    if (!consent.isGranular && /[:?]/.test(scope.replace('transition:generic', ''))) {
      return refused(c, 'invalid_scope', 'unknown scopes')
    }
    const uri = `urn:ietf:params:oauth:request_uri:${token()}`
    pushed.set(uri, requestOf(form, { did, scope }))
    return c.json({ request_uri: uri, expires_in: 300 }, 201)
  })
  app.get('/oauth/authorize', (c) => {
    const uri = c.req.query('request_uri') ?? ''
    const request = pushed.get(uri)
    if (!request) return c.text('This request is unknown or was used.', 400)
    pushed.delete(uri)
    return c.redirect(answerTo(request))
  })
  app.post('/oauth/token', async (c) => {
    const form = await formOf(c)
    const granted = form['grant_type'] === 'refresh_token' ? renewed(form) : exchanged(form)
    if (!granted) return refused(c, 'invalid_grant', 'the grant is unknown, used or revoked')
    return c.json(issue(granted), 200, { 'cache-control': 'no-store' })
  })
  app.post('/oauth/revoke', async (c) => {
    const revoked = tokensOf((await formOf(c))['token'] ?? '')
    for (const all of [access, refresh]) {
      for (const [text, { session }] of all) if (session === revoked?.session) all.delete(text)
    }
    return c.json({})
  })

  function answerTo(request: Pushed): string {
    const { redirectUri, state, isFragment } = request
    const answer = new URLSearchParams({ iss: origin, state })
    if (consent.answer === 'denied') {
      answer.set('error', 'access_denied')
      answer.set('error_description', 'The user denied the request')
    } else {
      const code = token()
      codes.set(code, request)
      answer.set('code', code)
    }
    return `${redirectUri}${isFragment ? '#' : '?'}${answer}`
  }

  function exchanged(form: Record<string, string>): Tokens | undefined {
    const request = codes.get(form['code'] ?? '')
    codes.delete(form['code'] ?? '')
    const digest = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url')
    if (!request || request.challenge !== digest) return undefined
    return { did: request.did, scope: request.scope, session: token() }
  }

  function renewed(form: Record<string, string>): Tokens | undefined {
    const tokens = refresh.get(form['refresh_token'] ?? '')
    refresh.delete(form['refresh_token'] ?? '')
    return tokens
  }

  function issue(granted: Tokens): object {
    const { did, scope } = granted
    const [accessToken, refreshToken] = [token(), token()]
    access.set(accessToken, granted)
    refresh.set(refreshToken, granted)
    return {
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: 'DPoP',
      expires_in: ACCESS_SECONDS,
      scope,
      sub: did,
    }
  }

  const tokensOf = (text: string) => access.get(text) ?? refresh.get(text)

  return {
    app,
    accountOf: ({ headers }) =>
      access.get(/^DPoP (\S+)$/.exec(headers.get('authorization') ?? '')?.[1] ?? '')?.did,
    end(which) {
      access.clear()
      if (which === 'all') refresh.clear()
    },
  }
}

function addMetadata(app: Hono, origin: string, consent: Consent): void {
  app.get('/.well-known/oauth-protected-resource', (c) =>
    c.json({
      resource: origin,
      authorization_servers: [origin],
      scopes_supported: [],
      bearer_methods_supported: ['header'],
    }),
  )
  app.get('/.well-known/oauth-authorization-server', (c) =>
    c.json({
      issuer: origin,
      authorization_endpoint: `${origin}/oauth/authorize`,
      token_endpoint: `${origin}/oauth/token`,
      revocation_endpoint: `${origin}/oauth/revoke`,
      pushed_authorization_request_endpoint: `${origin}/oauth/par`,
      require_pushed_authorization_requests: true,
      scopes_supported: ['atproto', 'transition:generic', ...(consent.isGranular ? ['repo'] : [])],
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'fragment'],
      grant_types_supported: METHODS,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      dpop_signing_alg_values_supported: ['ES256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    }),
  )
}

/** Forms from browsers, JSON from some libraries. */
async function formOf(c: Context): Promise<Record<string, string>> {
  const text = await c.req.text()
  if (c.req.header('content-type')?.includes('json')) return JSON.parse(text)
  return Object.fromEntries(new URLSearchParams(text))
}

function requestOf(form: Record<string, string>, { did, scope }: Grant): Pushed {
  return {
    did,
    scope,
    state: form['state'] ?? '',
    redirectUri: form['redirect_uri'] ?? '',
    challenge: form['code_challenge'] ?? '',
    isFragment: form['response_mode'] === 'fragment',
  }
}

function token(): string {
  return randomBytes(24).toString('base64url')
}

function refused(c: Context, error: string, description: string) {
  return c.json({ error, error_description: description }, 400)
}

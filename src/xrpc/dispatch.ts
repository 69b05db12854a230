// From a call to its answer: which method, its parameters, who asks, its input, its handler. The order
// of the checks is the reference's: parameters, then authentication, then the body.

import type { Lexicons } from '@atproto/lexicon'
import { isValidNsid } from '@atproto/syntax'
import { type Answer, resultAnswer } from './answer.ts'
import type { Authenticate } from './auth.ts'
import { invalidRequest, methodNotImplemented, unavailable } from './errors.ts'
import { createInputParser, type InputParser } from './input.ts'
import { parseAcceptLabelers } from './labelers.ts'
import type { Method, MethodContext, MethodResult } from './method.ts'
import { createParamsParser, type ParamsParser } from './params.ts'
import { readRequestBody } from './request-body.ts'

export type Dispatch = (nsid: string, request: Request) => Promise<Answer>

type Route = {
  method: Method
  httpMethod: 'GET' | 'POST'
  parseParams: ParamsParser
  parseInput: InputParser
}

/** @throws at once where a method has no lexicon, or one of another kind. */
export function createDispatch(options: {
  methods: Method[]
  lexicons: Lexicons
  authenticate: Authenticate
  timeoutMs: number
}): Dispatch {
  const { lexicons, authenticate, timeoutMs } = options
  const routes = new Map(options.methods.map((one) => [one.nsid, createRoute(one, lexicons)]))

  return async (nsid, request) => {
    const route = routes.get(nsid)
    if (!route) throw unknownMethod(nsid, request, lexicons)
    checkHttpMethod(route.httpMethod, request)
    const { method } = route
    const params = route.parseParams(searchOf(request.url))
    const caller = await authenticate(method, header(request, 'authorization'))
    const input = hasBody(request) ? await readInput(route, request) : route.parseInput(NO_BODY, '')
    const labelers = parseAcceptLabelers(header(request, 'atproto-accept-labelers'))
    const context = withSignal({ ...caller, params, input, labelers }, method, request, timeoutMs)
    return resultAnswer(await inTime(method.handler(context), timeoutMs))
  }
}

const NO_BODY = Buffer.alloc(0)

function createRoute(method: Method, lexicons: Lexicons): Route {
  const { nsid, kind } = method
  lexicons.getDefOrThrow(nsid, [kind])
  return {
    method,
    httpMethod: kind === 'procedure' ? 'POST' : 'GET',
    parseParams: createParamsParser(lexicons, nsid),
    parseInput: createInputParser(lexicons, nsid),
  }
}

/** 501 for what we don't have; 400 for what nobody can have. */
function unknownMethod(nsid: string, request: Request, lexicons: Lexicons): Error {
  if (!isValidNsid(nsid)) return invalidRequest('invalid xrpc path')
  const kind = lexicons.getDef(nsid)?.type
  if (kind === 'query') checkHttpMethod('GET', request)
  if (kind === 'procedure') checkHttpMethod('POST', request)
  return methodNotImplemented()
}

/** 400 rather than 405, as in the reference. */
function checkHttpMethod(expected: 'GET' | 'POST', { method }: Request): void {
  if (method === expected || (method === 'HEAD' && expected === 'GET')) return
  throw invalidRequest(`Incorrect HTTP method (${method}) expected ${expected}`)
}

function hasBody(request: Request): boolean {
  const { headers } = request
  if (headers.get('transfer-encoding') !== null) return true
  return (headers.get('content-length') ?? '0') !== '0' || request.method === 'POST'
}

async function readInput(route: Route, request: Request): Promise<unknown> {
  const isQuery = request.method === 'GET' || request.method === 'HEAD'
  if (isQuery) throw invalidRequest('A request body was provided when none was expected')
  const body = await readRequestBody(request)
  return route.parseInput(body, header(request, 'content-type'))
}

/** Made only if a handler looks at it. A procedure is not stopped halfway because its client left. */
function withSignal(
  context: Omit<MethodContext, 'signal'>,
  method: Method,
  request: Request,
  timeoutMs: number,
): MethodContext {
  let signal: AbortSignal | undefined
  return {
    ...context,
    get signal() {
      const timeout = () => AbortSignal.timeout(timeoutMs)
      signal ??= method.kind === 'query' ? AbortSignal.any([request.signal, timeout()]) : timeout()
      return signal
    },
  }
}

async function inTime(
  work: Promise<MethodResult> | MethodResult,
  timeoutMs: number,
): Promise<MethodResult> {
  if (!(work instanceof Promise)) return work
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(unavailable('the answer took too long')), timeoutMs)
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

function searchOf(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark + 1)
}

function header(request: Request, name: string): string | undefined {
  return request.headers.get(name) ?? undefined
}
